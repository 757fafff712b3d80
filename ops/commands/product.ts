import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readStream } from 'node:stream/consumers'
import { Argument, type Command } from 'commander'
import { parse as parseCsv } from 'csv-parse/sync'
import { z } from 'zod'
import { deleteProduct } from '@/lib/catalog/delete-product'
import { importProducts } from '@/lib/catalog/import-products'
import { columnName } from '@/lib/catalog/import-rules'
import { trackProduct } from '@/lib/catalog/track-product'
import { AppError } from '@/lib/errors'
import { stock } from '@/lib/fields'
import { check, runFor } from '../command'
import { progressBar } from '../output'

export function addProductCommands(program: Command): void {
  const product = program.command('product').description('products of a business')
  product
    .command('import')
    .description(
      'creates and updates products by SKU; columns: sku, name, unit, price, stock, tracked, external_id, for_sale. Rows are counted from 1, without the heading.',
    )
    .requiredOption('--business <slug>')
    .argument('<file>', 'CSV or JSON (a list of objects); - reads standard input')
    .action((file: string, _, command: Command) =>
      runFor(command, async (context) => {
        const records = readRecords(await readInput(file))
        return importProducts(context, records, progressBar(records.length))
      }),
    )
  product
    .command('delete')
    .requiredOption('--business <slug>')
    .requiredOption('--sku <sku>')
    .action((_, command: Command) => runFor(command, (context, { sku }) => deleteProduct(context, { sku: String(sku) })))
  product
    .command('track')
    .requiredOption('--business <slug>')
    .requiredOption('--sku <sku>')
    .option('--opening-stock <stock>', 'stock to begin with when tracking is turned on', '0')
    .addArgument(new Argument('<state>').choices(['on', 'off']))
    .action((state: string, _, command: Command) =>
      runFor(command, (context, options) => {
        const { openingStock } = check(z.object({ openingStock: z.string().transform(Number).pipe(stock) }), options)
        return trackProduct(context, { sku: String(options.sku), tracked: state === 'on', openingStock })
      }),
    )
}

/** The text of a file, seen from where the command was called, or of standard input. */
export async function readInput(file: string): Promise<string> {
  if (file === '-') return readStream(process.stdin)
  return readFile(resolve(process.env.INVOKED_FROM ?? '.', file), 'utf8').catch((cause) => {
    throw new AppError('BAD_REQUEST', `The file ${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, { cause })
  })
}

function readRecords(text: string): unknown[] {
  if (/^\s*[[{]/.test(text)) {
    const value = parseJson(text)
    if (!Array.isArray(value)) throw new AppError('BAD_REQUEST', 'The JSON must be a list of products.')
    return value
  }
  try {
    return parseCsv(text, {
      bom: true,
      columns: (headings: string[]) => headings.map(columnName),
      delimiter: [',', ';', '\t'],
      skip_empty_lines: true,
      trim: true,
      relax_column_count: true,
    })
  } catch (cause) {
    throw new AppError('BAD_REQUEST', `The CSV cannot be read: ${(cause as Error).message}`, { cause })
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', `The JSON cannot be read: ${(cause as Error).message}`, { cause })
  }
}
