import { acknowledge } from '@/lib/events/acknowledge'
import { ackContract } from '@/lib/events/contract'
import { endpoint } from '@/lib/http/endpoint'
import { resource } from '@/lib/http/resource'

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = resource({ POST: endpoint(ackContract, acknowledge) })
