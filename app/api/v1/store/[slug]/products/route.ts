import { listStoreProducts } from '@/lib/catalog/list-store-products'
import { resource } from '@/lib/http/resource'
import { storeEndpoint } from '@/lib/http/store-endpoint'
import { storePage } from '@/lib/orders/contract'

const route = { name: 'products', limitPerMinute: 120, from: 'query', input: storePage } as const

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({
  GET: storeEndpoint(route, async (context, page) => ({ status: 200, body: await listStoreProducts(context, page) })),
})
