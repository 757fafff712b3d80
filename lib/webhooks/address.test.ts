import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { checkTarget, parseWebhookUrl, RefusedAddress, refusalOf } from './address'

const check = (url: string, addresses: string[] = []) => checkTarget(url, { allowLocal: false, resolve: async () => addresses })

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '192.0.0.8',
  '192.88.99.1',
  '::',
  '::1',
  'fe80::1',
  'fec0::1',
  'fc00::1',
  'fd12::1',
  'ff02::1',
  '2001:db8::1',
  '3fff::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '2001::1',
  '2001:10::1',
  '2001:20::1',
  '100::1',
  '4000::1',
  '5f00::1',
])('%s is not public', async (address) => {
  expect(refusalOf(address)).not.toBeNull()
  await expect(check('https://erp.example.com/', ['93.184.215.14', address])).rejects.toThrow(RefusedAddress)
})

test.each(['8.8.8.8', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])('%s is public', async (address) => {
  expect((await check('https://erp.example.com/', [address])).addresses).toEqual([address])
})

test.each([
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::1]:8443/',
  'https://192.168.0.1:8443/',
])('the literal %s is refused without a look-up', async (url) => {
  await expect(checkTarget(url, { allowLocal: false, resolve: () => Promise.reject(new Error('looked up')) })).rejects.toThrow(RefusedAddress)
})

test('an address of this machine is refused, public or not', () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])) expect(refusalOf(address)).not.toBeNull()
})

describe('the form', () => {
  test.each([
    ['http://erp.example.com/', /Only https/],
    ['ftp://erp.example.com/', /Only https/],
    ['https://user:pass@erp.example.com/', /user name or password/],
    ['https://erp.example.com:22/', /Port 22 is not called/],
    ['https://erp.example.com:80/', /Port 80 is not called/],
    ['not an address', /no address/],
  ])('%s is refused', (url, message) => {
    expect(() => parseWebhookUrl(url, false)).toThrow(message)
  })

  test('443 and ports from 1024 are called', () => {
    for (const url of ['https://erp.example.com/', 'https://erp.example.com:443/', 'https://erp.example.com:1024/x'])
      expect(parseWebhookUrl(url, false).protocol).toBe('https:')
  })

  test('with local receivers allowed, only loopback is reached by http, and other private addresses stay refused', async () => {
    const local = (url: string, addresses: string[] = []) => checkTarget(url, { allowLocal: true, resolve: async () => addresses })
    expect((await local('http://127.0.0.1:4000/')).addresses).toEqual(['127.0.0.1'])
    await expect(local('http://192.168.0.1:4000/')).rejects.toThrow(RefusedAddress)
    await expect(local('http://erp.example.com:4000/', ['8.8.8.8'])).rejects.toThrow(RefusedAddress)
    await expect(local('https://erp.example.com/', ['10.0.0.1'])).rejects.toThrow(RefusedAddress)
  })
})
