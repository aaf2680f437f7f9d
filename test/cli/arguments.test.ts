import { expect, test } from 'bun:test'
import { parseArguments } from '../../src/cli/arguments.ts'
import { command } from '../../src/cli/command.ts'
import { OgError } from '../../src/platform/error.ts'

const sample = command({
  name: 'sample',
  summary: 'a command with one option of each type',
  positionals: { text: { doc: 'words', variadic: true } },
  options: {
    version: { type: 'text', short: 'v', placeholder: 'V', doc: 'a text' },
    path: { type: 'texts', short: 'd', placeholder: 'P', doc: 'texts' },
    'top-k': { type: 'whole', short: 'k', placeholder: 'N', doc: 'a number', min: 1, max: 1000 },
    wait: { type: 'whole', placeholder: 'S', doc: 'a default', min: 0, max: 9, default: 6 },
    json: { type: 'switch', doc: 'a switch' },
    yes: { type: 'switch', short: 'y', doc: 'a switch' },
  },
  run: async () => 0,
})

const nothing = { version: null, path: [], 'top-k': null, wait: 6, json: false, yes: false }

function check(argv: string[], expected: object): void {
  expect(parseArguments(sample, argv)).toEqual({ ...nothing, ...expected })
}

function checkError(argv: string[], message: string, hint?: string): void {
  const parse = () => parseArguments(sample, argv)
  expect(parse).toThrow(new OgError(message))
  try {
    parse()
  } catch (error) {
    expect((error as OgError).exitCode).toBe(2)
    if (hint !== undefined) expect((error as OgError).hint).toContain(hint)
  }
}

test('keeps values that look like numbers as text', () => {
  check(['x', '-v', '1.10'], { text: ['x'], version: '1.10' })
  check(['x', '-v', '0.115.0'], { text: ['x'], version: '0.115.0' })
  check(['x', '--version', '007'], { text: ['x'], version: '007' })
  check(['x', '--version=1e3'], { text: ['x'], version: '1e3' })
  check(['1.0', '007', '0x10'], { text: ['1.0', '007', '0x10'] })
  check(['-y', '007'], { text: ['007'], yes: true })
})

test('accepts a negative number as a positional argument that allows it', () => {
  const backup = { ...sample, positionals: { spec: { doc: 'one', negative: true } } } as const
  const spec = (...argv: string[]) => parseArguments(backup, argv).spec
  expect(spec('-1')).toBe('-1')
  expect(spec('--json', '-12', '-y')).toBe('-12')
  expect(spec('2026-04-08')).toBe('2026-04-08')
  expect(() => spec('-1', '-2')).toThrow('Unexpected "-2"')
  expect(() => spec('-1x')).toThrow('Unknown option "-1"')
  checkError(['-1'], 'Unknown option "-1" of "og sample"')
})

test('never uses the next word as the value of a switch', () => {
  check(['--json', 'true'], { text: ['true'], json: true })
  check(['-y', 'false', 'x'], { text: ['false', 'x'], yes: true })
})

test('treats a lone "-" as a word, and "--" as the end of options', () => {
  check(['-'], { text: ['-'] })
  check(['a', '--', '-x', '--json', '1.0'], { text: ['a', '-x', '--json', '1.0'] })
  check(['a', '--', '--'], { text: ['a', '--'] })
})

test('accepts every way to write an option value', () => {
  for (const typed of ['-k 5', '-k5', '-k=5', '--top-k 5', '--top-k=5']) {
    check(['x', ...typed.split(' ')], { text: ['x'], 'top-k': 5 })
  }
  check(['x', '-yk', '5'], { text: ['x'], 'top-k': 5, yes: true })
  check(['x', '--version='], { text: ['x'], version: '' })
  check(['x', '--version=-rc'], { text: ['x'], version: '-rc' })
  check(['x', '-v', '-'], { text: ['x'], version: '-' })
})

test('collects the values of a repeated list option, and uses the last value of any other', () => {
  check(['x', '-d', 'a', '--path', 'b', '-d', 'a.b'], { text: ['x'], path: ['a', 'b', 'a.b'] })
  check(['x', '-v', '1', '-v', '2'], { text: ['x'], version: '2' })
})

test('rejects options named like members of Object.prototype', () => {
  checkError(['x', '--constructor', 'y'], 'Unknown option "--constructor" of "og sample"')
  checkError(['x', '--__proto__=y'], 'Unknown option "--__proto__" of "og sample"')
})

test('reports wrong usage with a hint', () => {
  checkError([], 'Missing TEXT of "og sample"', 'og sample --help')
  checkError(['x', '--jsn'], 'Unknown option "--jsn" of "og sample"', 'did you mean "--json"?')
  checkError(
    ['x', '-q'],
    'Unknown option "-q" of "og sample"',
    'see "og sample --help"; a word that begins with "-" goes after "--": og sample -- -q',
  )
  checkError(['x', '--k'], 'Unknown option "--k" of "og sample"', 'did you mean "--top-k"?')
  checkError(['x', '--limit', '5'], 'Unknown option "--limit" of "og sample"', '"--top-k"?')
  checkError(
    ['x', '--konstruktor'],
    'Unknown option "--konstruktor" of "og sample"',
    'see "og sample --help"; ',
  )
  checkError(['x', '--json=1'], 'Option "--json" takes no value')
  checkError(['x', '-v'], 'Option "-v" needs a value')
  checkError(['x', '-v', '--json'], 'Option "-v" needs a value, but "--json" follows')
  checkError(['x', '-v', '-k', '5'], 'Option "-v" needs a value, but "-k" follows', '"-v=-k"')
})

test('rejects numbers that are fractional or out of range', () => {
  for (const odd of ['0', '1001', '5.0', 'five', '1e2', '', '0x5', '-5']) {
    checkError(
      ['x', `--top-k=${odd}`],
      `Cannot use "${odd}" for --top-k: must be a whole number from 1 to 1000`,
    )
  }
})

test('checks the number of arguments and their allowed values', () => {
  const one = command({
    name: 'one',
    summary: 'a command with a choice',
    options: {},
    positionals: { shell: { doc: 'one of', choices: ['bash', 'fish'] } },
    run: async () => 0,
  })
  expect(parseArguments(one, ['bash']).shell).toBe('bash')
  expect(() => parseArguments(one, ['cmd'])).toThrow('Cannot use "cmd" for shell')
  expect(() => parseArguments(one, ['bash', 'fish'])).toThrow('Unexpected "fish"')
})
