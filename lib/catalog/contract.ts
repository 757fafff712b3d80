import { z } from 'zod'
import { defineContract } from '../contract'
import { batch, catalogPage, dateTime, entry, text } from '../fields'

export const catalogItem = z.object({
  id: z.int(),
  sku: z.string().nullable(),
  external_id: z.string().nullable(),
  name: z.string(),
  unit: z.string(),
  stock: z.number().nullable(),
  tracked: z.boolean(),
  available: z.boolean(),
  updated_at: dateTime,
})

export type CatalogItem = z.output<typeof catalogItem>

export const catalogContract = defineContract({
  method: 'GET',
  path: '/catalog',
  summary: 'Live products in ascending order of id.',
  scope: 'catalog:read',
  limitPerMinute: 60,
  query: catalogPage,
  answer: z.object({ items: z.array(catalogItem), next_cursor: z.int().nullable() }),
})

export const mappingItem = entry({ sku: text(1, 50), external_id: text(1, 100).nullable() })

export const mappingResult = z.object({
  index: z.int().min(0),
  sku: z.string(),
  status: z.enum(['mapped', 'unmapped', 'not_found', 'conflict']),
  menu_item_id: z.int().nullable(),
})

export type MappingItem = z.output<typeof mappingItem>
export type MappingResult = z.output<typeof mappingResult>

export const mappingContract = defineContract({
  method: 'PATCH',
  path: '/catalog/mapping',
  summary: "Gives products, found by SKU, their id in the integrator's system.",
  scope: 'stock:write',
  limitPerMinute: 30,
  needsIntegration: true,
  body: z.object({ items: batch(mappingItem) }),
  answer: z.object({ results: z.array(mappingResult) }),
})
