import { endpoint } from '@/lib/http/endpoint'
import { resource } from '@/lib/http/resource'
import { stockContract } from '@/lib/stock/contract'
import { submitStock } from '@/lib/stock/submit-stock'

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({ PUT: endpoint(stockContract, submitStock) })
