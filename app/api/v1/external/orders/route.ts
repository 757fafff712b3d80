import { feedContract } from '@/lib/events/contract'
import { listFeed } from '@/lib/events/list-feed'
import { endpoint } from '@/lib/http/endpoint'
import { resource } from '@/lib/http/resource'

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({ GET: endpoint(feedContract, listFeed) })
