import { expect, test } from 'bun:test'
import { shellWord } from '../../../src/platform/text/shell-word.ts'

test('quotes each word so that a shell keeps it unchanged', () => {
  const words = ['plain', '', 'a b', "it's", '$(id)', '-x', 'a\nb', '*']
  const ran = Bun.spawnSync(['sh', '-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`])
  expect(ran.stdout.toString()).toBe(words.map((word) => `${word}\0`).join(''))
})
