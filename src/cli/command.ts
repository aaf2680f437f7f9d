import type { Context } from './context.ts'

/**
 * A command as data. Parsing, help, docs/reference/cli.md and completion are derived from it.
 * `command()` creates it and passes typed values to `run`.
 */
export type Command = {
  name: string
  aliases: readonly string[]
  summary: string
  /** Keys are in command-line order. */
  positionals: Readonly<Record<string, Positional>>
  options: Readonly<Record<string, Option>>
  /** Returns the hint for a word after the last positional. By default, it mentions the help. */
  hintForWord?: ((word: string) => string) | undefined
  /** The options that `--help` prints without `--all`; null prints all options. */
  brief: readonly string[] | null
  hidden: boolean
  /** @returns the exit code: 0, or 1 if the result is negative or incomplete. Errors are thrown. */
  run(context: Context, values: ParsedValues): Promise<number>
}

export type Positional = {
  doc: string
  optional?: true
  variadic?: true
  /** Also accepts negative numbers such as `-1`. */
  negative?: true
  choices?: readonly string[]
  suggest?: SuggestionKind
}

export type Option =
  | {
      type: 'switch'
      short?: string
      doc: string
      /** True if the option has no effect. Help, docs and completion omit it. */
      hidden?: true
    }
  | Text
  | ({ type: 'texts'; short?: string; placeholder: string; doc: string } & Completed)
  | WholeNumber

type Text = Completed & {
  type: 'text'
  short?: string
  placeholder: string
  doc: string
  required?: true
  negative?: true
}

/**
 * A whole number. `default` applies without the option. `defaultText` is only for documentation.
 */
type WholeNumber = {
  type: 'whole'
  short?: string
  placeholder: string
  doc: string
  min: number
  max: number
  default?: number
  defaultText?: string
}

/** Completion suggests `choices`, but other values are also valid. */
type Completed = { suggest?: SuggestionKind; choices?: readonly string[] }

export type SuggestionKind =
  | 'library'
  | 'version'
  | 'library@version'
  | 'setting'
  | 'source'
  | 'model'
  | 'backup'

export type ParsedValues = Readonly<
  Record<string, string | number | boolean | readonly string[] | null>
>

type Positionals = Readonly<Record<string, Positional>>
type Options = Readonly<Record<string, Option>>

type PositionalValue<P> = P extends { variadic: true }
  ? readonly string[]
  : P extends { optional: true }
    ? string | null
    : string

type OptionValue<O> = O extends { type: 'switch' }
  ? boolean
  : O extends { type: 'texts' }
    ? readonly string[]
    : O extends { type: 'whole' }
      ? O extends { default: number }
        ? number
        : number | null
      : O extends { required: true }
        ? string
        : string | null

type TypedValues<P extends Positionals, O extends Options> = {
  readonly [K in keyof P]: PositionalValue<P[K]>
} & OptionValues<O>

export type OptionValues<O extends Options> = { readonly [K in keyof O]: OptionValue<O[K]> }

type Definition<P extends Positionals, O extends Options> = {
  name: string
  aliases?: readonly string[]
  summary: string
  positionals?: P
  options?: O
  brief?: readonly (keyof O & string)[]
  hidden?: true
  hintForWord?: (word: string) => string
  run(context: Context, values: TypedValues<P, O>): Promise<number>
}

export function command<
  const P extends Positionals = Record<never, never>,
  const O extends Options = Record<never, never>,
>(definition: Definition<P, O>): Command {
  return {
    ...definition,
    aliases: definition.aliases ?? [],
    positionals: definition.positionals ?? {},
    options: definition.options ?? {},
    brief: definition.brief ?? null,
    hidden: definition.hidden ?? false,
    // The arguments were parsed with the same `positionals` and `options`, so the cast is safe.
    run: (context, values) => definition.run(context, values as TypedValues<P, O>),
  }
}

export function effectiveOptions({ options }: Command): string[] {
  return Object.keys(options).filter((name) => {
    const option = options[name]!
    return option.type !== 'switch' || !option.hidden
  })
}

export function usageOf(command: Command): string {
  const words = Object.entries(command.positionals).map(([name, positional]) => {
    const word = name.toUpperCase() + (positional.variadic ? '…' : '')
    return positional.optional ? `[${word}]` : word
  })
  const options = Object.keys(command.options).length > 0 ? ['[OPTIONS]'] : []
  return ['og', command.name, ...words, ...options].join(' ')
}

type More<O> = Omit<Partial<O>, 'type' | 'doc' | 'placeholder' | 'short'>
type Form<T extends string> = { type: T; short?: string; placeholder: string; doc: string }

/** `form` is the placeholder for the value, after the short name if there is one: `-v VERSION`. */
function valueOption<T extends string, M>(type: T, form: string, rest: { doc: string; more?: M }) {
  const [, short, placeholder = form] = /^-(\w) (.*)$/.exec(form) ?? []
  const { doc, more } = rest
  return { type, ...(short && { short }), placeholder, doc, ...more } as Form<T> & M
}

export const option = {
  flag: (doc: string, more: { short?: string; hidden?: true } = {}) =>
    ({ type: 'switch', doc, ...more }) as const,
  text: <const M extends More<Text> = Record<never, never>>(form: string, doc: string, more?: M) =>
    valueOption('text', form, { doc, more }),
  texts: <const M extends Completed = Record<never, never>>(form: string, doc: string, more?: M) =>
    valueOption('texts', form, { doc, more }),
  whole: <const M extends More<WholeNumber> & Bounds>(form: string, doc: string, more: M) =>
    valueOption('whole', form, { doc, more }),
}

type Bounds = { min: number; max: number }
