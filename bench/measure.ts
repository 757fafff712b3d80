/** Runs `work` `count` times, `concurrency` at once. @returns runs a second */
export async function rate(count: number, concurrency: number, work: (run: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let run = next++; run < count; run = next++) await work(run)
    }),
  )
  return (count * 1000) / (performance.now() - startedAt)
}

/** Rates of several ways to do one thing, taken in turns so that the machine's moods meet all of them. Medians. */
export async function compare<Name extends string>(rounds: number, ways: Record<Name, () => Promise<number>>): Promise<Record<Name, number>> {
  const seen = {} as Record<Name, number[]>
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of Object.keys(ways) as Name[]) {
      const value = await ways[name]()
      // The first round warms up.
      if (round > 0) seen[name] = [...(seen[name] ?? []), value]
    }
  }
  return Object.fromEntries(Object.entries(seen).map(([name, values]) => [name, median(values as number[])])) as Record<Name, number>
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
