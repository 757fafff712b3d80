import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, inject } from 'vitest'
import { closeSharedPool } from '../client'

/** Setup of every test file: a database of its own, copied from the migrated template. */
beforeAll(async () => {
  const template = new URL(inject('templateUrl'))
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new URL(template)
  admin.pathname = '/postgres'
  const client = postgres(admin.href, { max: 1, onnotice: () => {} })
  // Two files cannot copy one template at the same moment.
  await client`select pg_advisory_lock(1)`
  await client.unsafe(`create database ${name} template ${template.pathname.slice(1)}`)
  await client.end()
  template.pathname = `/${name}`
  process.env.DATABASE_URL = template.href
  process.env.APP_SECRET = 'a secret of tests, known to everybody'
  process.env.WEBHOOK_ALLOW_LOCAL = '1'
})

afterAll(closeSharedPool)
