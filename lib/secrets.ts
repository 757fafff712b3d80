import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a text for keeping (AES-256-GCM under a key made from `APP_SECRET`), bound to the owner it is kept for. */
export function encrypt(text: string, owner: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', encryptionKey(), iv).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${VERSION}.${sealed.toString('base64url')}`
}

/** @throws Error when the text was made under another `APP_SECRET`, for another owner, or was changed */
export function decrypt(sealed: string, owner: string): string {
  const [version, text = ''] = sealed.split('.')
  if (version !== VERSION) throw new Error('a stored secret has a form that this version does not know')
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', encryptionKey(), bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error('a stored secret cannot be read: was it made under another APP_SECRET?', { cause })
  }
}

function encryptionKey(): Buffer {
  const secret = process.env.APP_SECRET
  if (!secret) throw new Error('APP_SECRET is not set')
  return Buffer.from(hkdfSync('sha256', secret, '', 'external-inventory stored secrets', 32))
}
