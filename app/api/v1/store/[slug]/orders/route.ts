import { resource } from '@/lib/http/resource'
import { storeEndpoint } from '@/lib/http/store-endpoint'
import { storeOrder } from '@/lib/orders/contract'
import { createOrder } from '@/lib/orders/create-order'

const route = { name: 'orders', limitPerMinute: 60, from: 'body', input: storeOrder } as const

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({
  POST: storeEndpoint(route, async (context, input) => {
    const { order, created } = await createOrder(context, { ...input, payment_type: null, payment_status: 'unpaid' })
    return { status: created ? 201 : 200, body: order }
  }),
})
