import { catalogContract } from '@/lib/catalog/contract'
import { listCatalog } from '@/lib/catalog/list-catalog'
import { endpoint } from '@/lib/http/endpoint'
import { resource } from '@/lib/http/resource'

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({ GET: endpoint(catalogContract, listCatalog) })
