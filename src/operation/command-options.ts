/** The values of an operation's fields, by their names. */
export type OperationInput = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>

/**
 * The options of the command that gives an operation this input. Each is `--name=value`, so that no
 * value is read as an option.
 */
export function commandOptions(input: OperationInput): string[] {
  return Object.entries(input).flatMap(([field, value]) => {
    const name = `--${field.replaceAll('_', '-')}`
    if (value === true) return [name]
    if (value === null || value === undefined || value === false || value === '') return []
    return (Array.isArray(value) ? value : [value]).map((one) => `${name}=${one}`)
  })
}
