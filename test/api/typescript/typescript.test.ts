import { expect, test } from 'bun:test'
import type { ApiSymbol } from '../../../src/api/symbol.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

/** Checks the kind, signature and members of each symbol. */
function check(text: string, expected: Record<string, string[]>) {
  const { symbols } = outlineTypeScript(text)
  const lines = ({ kind, signature, members }: ApiSymbol): string[] => [
    `${kind} ${signature}`,
    ...members.flatMap(lines),
  ]
  expect(Object.fromEntries(symbols.map((it) => [it.name, lines(it)]))).toEqual(expected)
}

test('reads functions, values, types and enumerations', () => {
  check(
    `
export declare function light<T>(wick: string, mm?: number, ...oils: T[]): void;
export const on = async (a: string /* why */, b = 1): Promise<void> => { await c }
export const size: number = 3, off = 'x'
export type Kind = 'oil' | { gas: string };
export enum Level { Low = 1, High }
`,
    {
      light: ['function function light<T>(wick: string, mm?: number, ...oils: T[]): void'],
      on: ['function const on = async (a: string , b = 1): Promise<void> => …'],
      size: ['value const size: number'],
      off: ["value const off = 'x'"],
      Kind: ["type type Kind = 'oil' | { gas: string }"],
      Level: ['enum enum Level', 'value Low = 1', 'value High'],
    },
  )
})

test('reads documented members in braces as members of an alias', () => {
  const long = Array.from({ length: 60 }, (_, i) => `wick${i}: ${i}`).join('; ')
  check(
    `
export type A = { /** In mm. */ wick: 1; oil: 2 } & Oil & { wick: 3 }
export type B = { wick: 1 } & Oil
export type C = Oil & { /** In mm. */ wick: 1; (): void }
export type D = Partial<{ /** In mm. */ wick: 1 }>
export type E = { ${long} } & Oil
`,
    {
      A: ['interface type A = { … } & Oil & { … }', 'value wick: 1', 'value oil: 2'],
      B: ['type type B = { wick: 1 } & Oil'],
      C: ['interface type C = Oil & { … }\n(): void', 'value wick: 1'],
      D: ['type type D = Partial<{ wick: 1 }>'],
      E: ['interface type E = { … } & Oil', ...long.split('; ').map((it) => `value ${it}`)],
    },
  )
})

test('reads classes without their private members', () => {
  check(
    `
export abstract class Lamp<T> extends Base<T> implements On {
  #oil = 1
  private wick: string;
  static readonly size?: string = 'a';
  constructor(wick: string, private mm = 1) { super() }
  get hot(): boolean { return true }
  set hot(value: boolean) {}
  light(a: string): void;
  light(a: number): void { }
  /** @internal */
  hidden(): void {}
}
`,
    {
      Lamp: [
        'class abstract class Lamp<T> extends Base<T> implements On\n' +
          'new Lamp(wick: string, private mm = 1)',
        "value static readonly size?: string = 'a'",
        'property get hot(): boolean',
        'method light(a: string): void\nlight(a: number): void',
      ],
    },
  )
})

test('reads interfaces, object types and call signatures', () => {
  check(
    `
export interface On extends Base {
  readonly a?: string; light(x: number): On; [key: string]: unknown
}
export type Options = {
  /** In mm. */
  mm?: number
}
export interface Call {
  <T>(text: T): void;
  new (text: string): On;
}
`,
    {
      On: [
        'interface interface On extends Base',
        'value readonly a?: string',
        'method light(x: number): On',
        'value [key: string]: unknown',
      ],
      Options: ['interface type Options', 'value mm?: number'],
      Call: ['interface interface Call\n<T>(text: T): void\nnew(text: string): On'],
    },
  )
})

test('merges declarations of the same name', () => {
  check(
    `
declare function light(a: string): void;
declare function light(a: number): void;
declare namespace light { const speed: number }
interface A { a: 1 }
interface A { b: 2 }
`,
    {
      light: [
        'function function light(a: string): void\nfunction light(a: number): void',
        'value const speed: number',
      ],
      A: ['interface interface A', 'value a: 1', 'value b: 2'],
    },
  )
})

test('uses the comment above a declaration as its documentation', () => {
  const { symbols } = outlineTypeScript(
    '/** Lights. */\nexport default class Lamp {\n  /** In mm. */\n  mm = 1\n}\n' +
      '/** Old.\n * @deprecated */\nexport const a = 1\n',
  )
  expect(symbols.map((it) => [it.name, it.line, it.documentation, it.deprecated])).toEqual([
    ['Lamp', 2, 'Lights.', null],
    ['a', 8, 'Old.', ''],
  ])
  expect(symbols[0]!.members[0]!.documentation).toBe('In mm.')
})

test('reads the base classes of a declaration, without type arguments', () => {
  const { symbols } = outlineTypeScript(
    'interface Can extends a.b.Tank<string>, Lid {}\n' +
      'class Lamp extends core.Base<A> implements On {}\nclass Wick extends mixin(A) {}\n',
  )
  expect(symbols.map(({ bases }) => bases)).toEqual([['a.b.Tank', 'Lid'], ['core.Base'], []])
})

test('keeps declarations that are marked as internal', () => {
  const { symbols } = outlineTypeScript(
    '/** Opens.\n * @private */\nexport declare function a(): void',
  )
  expect(symbols.map((it) => `${it.name}: ${it.documentation}`)).toEqual([
    'a: Internal: not meant for users.\n\nOpens.',
  ])
})

test('reads declarations and members below long comments', () => {
  const long = `/**\n${` * ${'x'.repeat(60)}\n`.repeat(60)} * End.\n */`
  const { symbols } = outlineTypeScript(
    `export type A = {\n${long}\n  readonly a?: 1\n}\n${long}\ndeclare abstract class B {\n` +
      `${long}\n  static async b(): void\n}\n${long}\nabstract class C {}\nconst d = "/*"\n`,
  )
  const all = symbols.flatMap((it) => [it, ...it.members])
  const found = all.map(({ name, documentation }) => [name, documentation.slice(-4)])
  const expected = [
    ['A', ''],
    ['a', 'End.'],
    ['B', 'End.'],
    ['b', 'End.'],
    ['C', 'End.'],
    ['d', ''],
  ]
  expect(found).toEqual(expected)
})

test('reads a declaration below many lines of comments', () => {
  const lines = (start: string) => `${start} word\n`.repeat(150)
  for (const comments of [
    `//#endregion\n/**\n${lines(' *')} */\n`.repeat(3),
    `/** One.\n */\n//#region a\n${lines('//')}/* ${lines('')} */\n`,
  ]) {
    const { symbols } = outlineTypeScript(
      `declare function a(): void;\n${comments}interface B { c: 1 }\n${comments}type D = 1\n`,
    )
    expect(symbols.map(({ name }) => name)).toEqual(['a', 'B', 'D'])
  }
})

test('reads the members beside syntax that the grammar rejects', () => {
  const { symbols } = outlineTypeScript(`
import * as lib from './lib'
export type A = new <T>(oil: T) => B
export declare const c: typeof import('./c').wick
export type D = (oil: any) => oil is string
export declare abstract class E<in out T> {
  a?(oil: string): void
  b?<T>(oil: T): oil is T
  c: T
}
export interface F { new <T>(oil: T): F; d: 1 }
export declare enum G {
  /** Seven. */
  "7bit" = "7bit",
  H = "h",
}
`)
  const found = symbols.map(({ name, members }) => `${name} ${members.map((it) => it.name)}`.trim())
  expect(found).toEqual(['A', 'c', 'D', 'E a,b,c', 'F d', 'G 7bit,H'])
  expect(symbols[3]!.members[0]!.signature).toBe('a?(oil: string): void')
})

test('lists the members of a type that can be called', () => {
  check('export type A = { (oil: string): void; wick: number; on?(): void }', {
    A: ['interface type A\n(oil: string): void', 'value wick: number', 'method on?(): void'],
  })
})

test('names a member below a comment of any length', () => {
  for (const length of [100, 1400, 1600, 2500, 6000]) {
    const comment = `/**\n${'\tone word and more\n'.repeat(length / 18)}\t*/`
    const { symbols } = outlineTypeScript(
      `export interface A {\n\t${comment}\n\treadonly a?: (() => void) | undefined;\n}\n`,
    )
    expect(symbols[0]!.members.map(({ name }) => name)).toEqual(['a'])
  }
})

test('continues after a syntax error', () => {
  const { symbols } = outlineTypeScript('export const a = (;\n\nexport function b(): void {}\n')
  expect(symbols.map(({ name }) => name)).toContain('b')
})
