import type { Command } from 'commander'
import { checkLedger, listLedger } from '@/lib/stock/queries'
import { runFor } from '../command'

export function addStockCommands(program: Command): void {
  const stock = program.command('stock').description('stock of a business')
  stock
    .command('ledger')
    .requiredOption('--business <slug>')
    .requiredOption('--sku <sku>')
    .action((_, command: Command) => runFor(command, (context, { sku }) => listLedger(context, { sku: String(sku) })))
  stock
    .command('check')
    .description('compares the ledger with the stock of every product; exit code 1 and the list when they differ')
    .requiredOption('--business <slug>')
    .action((_, command: Command) =>
      runFor(command, async (context) => {
        const { products, faults } = await checkLedger(context)
        if (faults.length > 0) process.exitCode = 1
        return { products, faults }
      }),
    )
}
