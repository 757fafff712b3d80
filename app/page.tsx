import { catalogContract, mappingContract } from '@/lib/catalog/contract'
import { ackContract, feedContract } from '@/lib/events/contract'
import { pingContract } from '@/lib/integration/contract'
import { stockContract } from '@/lib/stock/contract'

const contracts = [pingContract, stockContract, catalogContract, mappingContract, feedContract, ackContract]

export default function Home() {
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>curl -X POST -H &quot;Authorization: Bearer $API_KEY&quot; /api/v1/external/ping</pre>

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
