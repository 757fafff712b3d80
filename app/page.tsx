import { headers } from 'next/headers'
import { catalogContract, mappingContract } from '@/lib/catalog/contract'
import { ackContract, feedContract } from '@/lib/events/contract'
import { pingContract } from '@/lib/integration/contract'
import { stockContract } from '@/lib/stock/contract'

const contracts = [pingContract, stockContract, catalogContract, mappingContract, feedContract, ackContract]

/** The address that this page was asked for under, so that what it shows can be pasted as it stands. */
async function ownAddress(): Promise<string> {
  const asked = await headers()
  return process.env.APP_URL ?? `${asked.get('x-forwarded-proto') ?? 'http'}://${asked.get('host')}`
}

export default async function Home() {
  const address = await ownAddress()
  return (
    <main>
      <h1>External Inventory</h1>
      <p className="lead">
        Your own inventory system stays the source of truth for stock. Your point of sale and online store sell from it, and never more than there is.
      </p>

      <h2>Connect a system</h2>
      <p>
        Send the key that the business made for you as a bearer token. Every path below is under <code>/api/v1/external</code>.
      </p>
      <pre>{`curl -X POST -H "Authorization: Bearer $API_KEY" ${address}/api/v1/external/ping`}</pre>

      <h2>What a system can do</h2>
      <table>
        <thead>
          <tr>
            <th>Call</th>
            <th>What it does</th>
            <th>Scope</th>
          </tr>
        </thead>
        <tbody>
          {contracts.map(({ method, path, summary, scope }) => (
            <tr key={path}>
              <td>
                <code>
                  {method} {path}
                </code>
              </td>
              <td>{summary}</td>
              <td className="quiet">{scope ?? 'any key'}</td>
            </tr>
          ))}
        </tbody>
      </table>

      <h2>Is it up?</h2>
      <p>
        <a href="/api/health">/api/health</a> tells whether the process answers, <a href="/api/health/ready">/api/health/ready</a> whether its database does
        too.
      </p>
    </main>
  )
}
