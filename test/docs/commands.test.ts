import { expect, test } from 'bun:test'
import { parseArguments } from '../../src/cli/arguments.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { globalOptions, splitGlobalOptions } from '../../src/cli/help.ts'
import { blocks, shownCommands } from '../support/guide.ts'
import { filesOf, readText } from '../support/tidy/source-file.ts'

const commands = await loadCommands()

const pages = filesOf('*.md', 'docs/**/*.md')

/** Returns the words after `og`, up to a pipe; null for other commands. */
function typedWords(line: string): string[] | null {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const end = words.findIndex((word) => /^(\||>|<|#|&&|echo$)/.test(word))
  if (words[start] !== 'og') return null
  const own = words.slice(start + 1, end < 0 ? undefined : end)
  return own.map((word) => word.replace(/;$/, '').replace(/^"(.*)"$|^'(.*)'$/, '$1$2'))
}

/** Throws if og has no such command or option, or if required arguments are missing. */
function check(words: string[]): void {
  const { rest } = splitGlobalOptions(words)
  const [first = '', second = ''] = rest
  const command = commands.find(
    ({ name, aliases }) =>
      name === first || name === `${first} ${second}` || aliases.includes(first),
  )
  if (command === undefined) throw new Error(`no command "${first}"`)
  parseArguments(command, rest.slice(command.name.split(' ').length))
}

/** Options of npm scripts. */
const ofScripts = ['--peer', '--target', '--lancedb', '--lock']

test('every option and tool in a guide exists', () => {
  const known = new Set([
    ...commands.flatMap(({ options }) => Object.keys(options).map((name) => `--${name}`)),
    ...globalOptions.flatMap(([option]) => option.match(/--[a-z-]+/g) ?? []),
    '--help',
    ...(readText('docs/reference/mcp.md').match(/\b[a-z_]+_tool\b/g) ?? []),
  ])
  const unknown = [...filesOf('docs/guide/*.md'), 'README.md'].flatMap((path) =>
    [...readText(path).matchAll(/`[^`\n]+`/g)]
      .flatMap(([code]) => code.match(/(?<![\w-])--[a-z][a-z-]+|\b[a-z_]+_tool\b/g) ?? [])
      .filter((name) => !known.has(name) && !ofScripts.includes(name))
      .map((name) => `${path}: ${name}`),
  )
  expect(unknown).toEqual([])
})

test('og has every command and option in the documents', () => {
  const failed: string[] = []
  let checked = 0
  for (const path of pages) {
    const text = readText(path)
    const lines = [
      ...blocks(text, 'sh').flatMap((block) => block.split('\n')),
      ...shownCommands(text).map(({ command }) => command),
    ]
    for (const line of lines) {
      const words = typedWords(line)
      if (words === null) continue
      checked++
      try {
        check(words)
      } catch (error) {
        failed.push(`${path}: ${line}: ${(error as Error).message}`)
      }
    }
  }
  expect(checked).toBeGreaterThan(100)
  expect(failed).toEqual([])
  expect(() => check(['add', 'a', '--sauce', 'b'])).toThrow('sauce')
  expect(() => check(['ad', 'a'])).toThrow('no command')
})
