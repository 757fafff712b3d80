import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 64
const derive = promisify<string, string, number, typeof COST, Buffer>(scrypt)

/** `salt:key` in hexadecimal, by scrypt: the form that better-auth stores and reads. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await derive(password.normalize('NFKC'), salt, KEY_BYTES, COST)).toString('hex')}`
}
