import { createHash, randomInt, timingSafeEqual } from 'node:crypto'

/**
 * A key is `svk_live_<prefix>_<secret>` (specification, Authentication). The prefix is public and finds the key, the
 * secret is stored as a hash only. The secret's last six characters are a checksum of all that stands before them, so
 * that a mistyped key is refused without asking the database.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX_LENGTH = 10
/** 40 characters of 62 are 238 bits: nothing slower than SHA-256 is needed to keep them from being guessed. */
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(`^svk_live_([0-9A-Za-z]{${PREFIX_LENGTH}})_([0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}})$`)

export function makeKey(): { key: string; prefix: string; secretHash: string } {
  const prefix = randomText(PREFIX_LENGTH)
  const random = randomText(RANDOM_LENGTH)
  const secret = random + checksum(`svk_live_${prefix}_${random}`)
  return { key: `svk_live_${prefix}_${secret}`, prefix, secretHash: hashSecret(secret) }
}

/** The parts of a key, or null when its shape or its checksum is wrong. */
export function parseKey(key: string): { prefix: string; secret: string } | null {
  const [, prefix, secret] = SHAPE.exec(key) ?? []
  if (!prefix || !secret) return null
  return checksum(key.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH) ? { prefix, secret } : null
}

export function matchesHash(secret: string, secretHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret), 'hex'), Buffer.from(secretHash, 'hex'))
}

const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('hex')

const randomText = (length: number) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

function checksum(text: string): string {
  let rest = createHash('sha256').update(text).digest().readUInt32BE(0)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET[rest % ALPHABET.length] + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
