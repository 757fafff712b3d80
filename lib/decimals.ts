/** Exact decimals for stock (thousandths) and money (hundredths), as whole numbers in a bigint. */

/** Whether a JSON number has at most `places` decimals and no exponent in its shortest form. */
export function hasDecimals(value: number, places: number): boolean {
  return new RegExp(`^-?\\d+(\\.\\d{1,${places}})?$`).test(String(value))
}

/** `"1.5"` with 3 places is `1500n`. Takes what Postgres prints for a numeric, or the shortest form of a number. */
export function toUnits(decimal: string | number, places: number): bigint {
  const [whole = '0', fraction = ''] = String(decimal).split('.')
  const digits = fraction.padEnd(places, '0').slice(0, places)
  const magnitude = BigInt(whole.replace('-', '') + digits)
  return whole.startsWith('-') ? -magnitude : magnitude
}

/** `1500n` with 3 places is `"1.5"`. */
export function fromUnits(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction ? `.${fraction}` : ''}`
}

/** Quantity (thousandths) times price (hundredths), in hundredths, halves rounded up. */
export function lineTotal(quantity: bigint, price: bigint): bigint {
  return (quantity * price + 500n) / 1000n
}
