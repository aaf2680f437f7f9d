import type { Context } from './context.ts'

/**
 * One command as data: parsing, help, docs/reference/cli.md and completion
 * read this and nothing else.
 * Made by `command()`, which gives `run` the values with their types.
 */
export type Command = {
  /** `query`; of a group, two words: `config path`. */
  name: string
  aliases: readonly string[]
  summary: string
  /** Paragraphs that help and docs print under the usage line. */
  details: readonly string[]
  /** In the order in which they are typed. */
  positionals: Readonly<Record<string, Positional>>
  options: Readonly<Record<string, Option>>
  examples: readonly string[]
  /** Not shown in help, docs and completion. */
  hidden: boolean
  /** @returns the exit code: 0, or 1 where the answer is no or not whole. Errors are thrown. */
  run(context: Context, values: Values): Promise<number>
}

export type Positional = {
  doc: string
  optional?: true
  /** Takes all that follows. */
  variadic?: true
  /** Takes `-1` for a value too. */
  negative?: true
  choices?: readonly string[]
  suggest?: Suggest
}

export type Option =
  | { type: 'switch'; short?: string; doc: string }
  | Text
  | ({ type: 'texts'; short?: string; placeholder: string; doc: string } & Completed)
  | Whole

/** `negative`: takes `-1` for a value too. */
type Text = Completed & {
  type: 'text'
  short?: string
  placeholder: string
  doc: string
  required?: true
  negative?: true
}

/** A whole number. `default: 600` is used; `shown` only says what a missing value means. */
type Whole = {
  type: 'whole'
  short?: string
  placeholder: string
  doc: string
  min: number
  max: number
  default?: number
  shown?: string
}

/** `choices` are offered, and others taken too. */
type Completed = { suggest?: Suggest; choices?: readonly string[] }

/** What completion offers for a value. */
export type Suggest =
  | 'library'
  | 'version'
  | 'library@version'
  | 'setting'
  | 'source'
  | 'model'
  | 'backup'

export type Values = Readonly<Record<string, string | number | boolean | readonly string[] | null>>

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

/** The values that a command gets for its options. */
export type OptionValues<O extends Options> = { readonly [K in keyof O]: OptionValue<O[K]> }

type Definition<P extends Positionals, O extends Options> = {
  name: string
  aliases?: readonly string[]
  summary: string
  details?: readonly string[]
  positionals: P
  options: O
  examples: readonly string[]
  hidden?: true
  run(context: Context, values: TypedValues<P, O>): Promise<number>
}

/** Gives a definition its place in the table; `run` sees the values that its options promise. */
export function command<const P extends Positionals, const O extends Options>(
  definition: Definition<P, O>,
): Command {
  return {
    ...definition,
    aliases: definition.aliases ?? [],
    details: definition.details ?? [],
    hidden: definition.hidden ?? false,
    // Arguments are parsed by the same `positionals` and `options`, so the types hold.
    run: (context, values) => definition.run(context, values as TypedValues<P, O>),
  }
}
