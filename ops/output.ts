/** What a command prints: one JSON document with `--json`, else something to read. */
export function print(value: unknown, json: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(value) : readable(value)}\n`)
}

function readable(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : table(value as Record<string, unknown>[])
  if (typeof value !== 'object' || value === null) return shown(value)
  const entries = Object.entries(value)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries
    .map(([name, field]) => (Array.isArray(field) && typeof field[0] === 'object' ? `${name}:\n${table(field)}` : `${name.padEnd(width)}  ${shown(field)}`))
    .join('\n')
}

function table(rows: Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => shown(row[name]).length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(names), ...rows.map((row) => line(names.map((name) => shown(row[name]))))].join('\n')
}

const shown = (value: unknown): string => (value === null || value === undefined ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value))

/** A bar on the terminal while something long runs; nothing where standard error is no terminal. */
export function progressBar(total: number): (done: number) => void {
  if (!process.stderr.isTTY) return () => {}
  return (done) => {
    const filled = Math.round((30 * done) / Math.max(1, total))
    process.stderr.write(`\r${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${done}/${total}${done >= total ? '\n' : ''}`)
  }
}
