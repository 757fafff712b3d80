/** How an order may move (no part of the external API shows more than the values). */

export const ORDER_STATUSES = ['pending', 'preparing', 'ready', 'completed', 'cancelled'] as const
export const PAYMENT_STATUSES = ['unpaid', 'paid', 'refunded'] as const
export const PAYMENT_TYPES = ['cash', 'card', 'transfer', 'online'] as const
export const ORDER_TYPES = ['in_store', 'pickup', 'delivery'] as const

export type OrderStatus = (typeof ORDER_STATUSES)[number]
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** Forward only, and steps may be skipped. Cancelling is a verb of its own. */
export function mayMoveTo(from: OrderStatus, to: OrderStatus): boolean {
  if (from === 'cancelled' || to === 'cancelled') return false
  return ORDER_STATUSES.indexOf(to) > ORDER_STATUSES.indexOf(from)
}

export const mayCancel = (from: OrderStatus): boolean => from !== 'completed' && from !== 'cancelled'

export function mayPayTo(from: PaymentStatus, to: PaymentStatus): boolean {
  return (from === 'unpaid' && to === 'paid') || (from === 'paid' && to === 'refunded')
}

/** Units sold are reserved at most this long (specification, Sequencing with stock submissions). */
export const RESERVATION_LIFETIME_MS = 48 * 60 * 60 * 1000
