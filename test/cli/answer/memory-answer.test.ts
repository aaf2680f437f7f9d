import { expect, test } from 'bun:test'
import type { Context } from '../../../src/cli/context.ts'
import { readContentArgument } from '../../../src/cli/answer/notes.ts'
import { openTerminal } from '../../../src/cli/terminal.ts'
import { chunks, sink } from '../../support/run-og.ts'

async function check(words: string[], stdin: string, content: string | null): Promise<void> {
  const input = Object.assign(chunks(stdin), { isTTY: false })
  const terminal = openTerminal({ stdin: input, stdout: sink(), stderr: sink() }, {})
  const context = { terminal } as Context
  expect(await readContentArgument(context, words)).toBe(content)
}

test('joins words into a text, and reads stdin without its final newline for "-"', async () => {
  await check([], 'unread', null)
  await check([''], 'unread', '')
  await check(['two', 'words'], 'unread', 'two words')
  await check(['-'], 'äö\r\n\nü\n\n', 'äö\r\n\nü\n')
  await check(['-', '-'], 'unread', '- -')
})
