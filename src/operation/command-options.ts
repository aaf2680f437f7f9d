/** The values of an operation's fields, by field name. */
export type OperationInput = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>

/**
 * Returns the options of the command that has the same effect as this input. Each option is
 * `--name=value`, so that no value is parsed as an option.
 */
export function commandOptions(input: OperationInput): string[] {
  return Object.entries(input).flatMap(([field, value]) => {
    const name = `--${field.replaceAll('_', '-')}`
    if (value === true) return [name]
    if (value === null || value === undefined || value === false || value === '') return []
    return (Array.isArray(value) ? value : [value]).map((one) => `${name}=${one}`)
  })
}
