import { type Command, Option } from 'commander'
import { cancelOrder } from '@/lib/orders/cancel-order'
import { changeOrder } from '@/lib/orders/change-order'
import { newOrder, orderChange } from '@/lib/orders/contract'
import { createOrder } from '@/lib/orders/create-order'
import { ORDER_STATUSES, PAYMENT_STATUSES } from '@/lib/orders/rules'
import { check, orderId, runFor } from '../command'
import { parseJson, readInput } from './product'

export function addOrderCommands(program: Command): void {
  const order = program.command('order').description('orders of a business')
  order
    .command('create')
    .description('from JSON: {order_type, payment_type, payment_status, customer, note, client_order_id, lines: [{sku or product_id, quantity}]}')
    .requiredOption('--business <slug>')
    .requiredOption('--file <file>', '- reads standard input')
    .action((_, command: Command) =>
      runFor(command, async (context, { file }) => (await createOrder(context, check(newOrder, parseJson(await readInput(String(file)))))).order),
    )
  order
    .command('set')
    .requiredOption('--business <slug>')
    .requiredOption('--order <id>')
    .addOption(new Option('--status <status>').choices([...ORDER_STATUSES]))
    .addOption(new Option('--payment-status <status>').choices([...PAYMENT_STATUSES]))
    .action((_, command: Command) =>
      runFor(command, (context, { order: id, status, paymentStatus }) =>
        changeOrder(context, { orderId: check(orderId, id), ...check(orderChange, { status, payment_status: paymentStatus }) }),
      ),
    )
  order
    .command('cancel')
    .requiredOption('--business <slug>')
    .requiredOption('--order <id>')
    .action((_, command: Command) => runFor(command, (context, { order: id }) => cancelOrder(context, { orderId: check(orderId, id) })))
}
