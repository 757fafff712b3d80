import { mappingContract } from '@/lib/catalog/contract'
import { mapProducts } from '@/lib/catalog/map-products'
import { endpoint } from '@/lib/http/endpoint'
import { resource } from '@/lib/http/resource'

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({ PATCH: endpoint(mappingContract, mapProducts) })
