import { endpoint } from '@/lib/http/endpoint'
import { resource } from '@/lib/http/resource'
import { pingContract } from '@/lib/integration/contract'
import { ping } from '@/lib/integration/ping'

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({ POST: endpoint(pingContract, ping) })
