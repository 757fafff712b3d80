import { expect, test } from '@playwright/test'

const url = () => process.env.SERVICE_URL ?? ''

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1280]) {
    test(`the home page is readable, ${colorScheme}, ${width} px wide`, async ({ browser }) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } })
      const faults: string[] = []
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      page.on('request', (request) => new URL(request.url()).origin === url() || faults.push(`asked ${request.url()}`))
      await page.goto(url())
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('External Inventory')
      await expect(page.getByRole('row')).toHaveCount(7)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
      await page.screenshot({ path: `test-results/home-${colorScheme}-${width}.png`, fullPage: true })
      expect(faults).toEqual([])
      await page.close()
    })
  }
}

test('the curl line that the start prints works as it stands, and the links of the page lead somewhere', async ({ page, request }) => {
  const [, key, address] = /curl -s -H "Authorization: Bearer (\S+)" "(\S+)"/.exec(process.env.SERVICE_OUTPUT ?? '') ?? []
  const answer = await request.get(address ?? '', { headers: { Authorization: `Bearer ${key}` } })
  expect((await answer.json()).items).toHaveLength(3)
  await page.goto(url())
  for (const link of await page.getByRole('link').all()) {
    expect((await request.get(`${url()}${await link.getAttribute('href')}`)).status()).toBe(200)
  }
})

test('an integrator’s whole first day: map, submit, a shopper buys, feed, acknowledge, submit again', async ({ request }) => {
  const headers = { Authorization: `Bearer ${process.env.SERVICE_KEY}` }
  const api = `${url()}/api/v1/external`
  const { items } = await (await request.get(`${api}/catalog?limit=500`, { headers })).json()
  const product = items.find((item: { sku: string }) => item.sku === 'TEA-MIN-50')
  const mapping = await request.patch(`${api}/catalog/mapping`, { headers, data: { items: [{ sku: product.sku, external_id: 'ERP-77' }] } })
  expect((await mapping.json()).results[0].status).toBe('mapped')
  const submit = async (stock: number, version: number) =>
    (
      await (
        await request.put(`${api}/stock`, {
          headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
          data: { items: [{ external_id: 'ERP-77', stock, version }] },
        })
      ).json()
    ).results[0]
  expect(await submit(20, 1)).toMatchObject({ status: 'applied', stock_after: 20, reserved: 0 })

  const sold = await request.post(`${url()}/api/v1/store/demo/orders`, {
    data: {
      client_order_id: crypto.randomUUID(),
      order_type: 'pickup',
      customer: { name: 'Ana', contact: 'ana@example.org' },
      lines: [{ product_id: product.id, quantity: 4 }],
    },
  })
  expect(sold.status()).toBe(201)
  expect(await submit(20, 2)).toMatchObject({ status: 'applied', stock_after: 16, reserved: 4 })

  const { events } = await (await request.get(`${api}/orders?limit=500`, { headers })).json()
  const event = events.at(-1)
  expect(event.data.items[0]).toMatchObject({ external_id: 'ERP-77', quantity: 4 })
  expect(JSON.stringify(events)).not.toContain('ana@example.org')
  expect(await (await request.post(`${api}/orders/ack`, { headers, data: { event_ids: [event.id] } })).json()).toEqual({ acknowledged: 1 })
  expect(await submit(16, 3)).toMatchObject({ status: 'applied', stock_after: 16, reserved: 0 })
  expect(await submit(99, 2)).toMatchObject({ status: 'stale', stock_after: 16 })
})
