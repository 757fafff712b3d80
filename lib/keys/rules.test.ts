import { expect, test } from 'vitest'
import { makeKey, matchesHash, parseKey } from './rules'

test('a key has the specified form, and neither part contains an underscore', () => {
  const { key, prefix } = makeKey()
  expect(key).toMatch(/^svk_live_[0-9A-Za-z]+_[0-9A-Za-z]+$/)
  expect(key.split('_')[2]).toBe(prefix)
})

test('any one mistyped character is found by the checksum', () => {
  const { key } = makeKey()
  for (let place = 'svk_live_'.length; place < key.length; place += 1) {
    if (key[place] === '_') continue
    const wrong = key.slice(0, place) + (key[place] === 'x' ? 'y' : 'x') + key.slice(place + 1)
    expect(parseKey(wrong), wrong).toBeNull()
  }
})

test('only the secret that was made matches the stored hash', () => {
  const [one, other] = [makeKey(), makeKey()]
  expect(matchesHash(parseKey(one.key)?.secret ?? '', one.secretHash)).toBe(true)
  expect(matchesHash(parseKey(other.key)?.secret ?? '', one.secretHash)).toBe(false)
})
