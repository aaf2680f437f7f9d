import { expect, test } from 'bun:test'
import { openHome } from '../../../support/run-og.ts'

async function check(words: string[], stderr: string) {
  using home = openHome()
  expect(await home.run(['install-mcp', ...words])).toEqual({ code: 2, stdout: '', stderr })
}

test('suggests the option if a client is named without dashes', async () => {
  const unexpected = (word: string, hint: string) =>
    `error: Unexpected "${word}" after "og install-mcp"\nhint: ${hint}\n`
  await check(['cursor'], unexpected('cursor', 'did you mean "--cursor"?'))
  await check(
    ['claude-cod', '--project'],
    unexpected('claude-cod', 'did you mean "--claude-code"?'),
  )
  await check(['--', 'Cursr'], unexpected('Cursr', 'did you mean "--cursor"?'))
  await check(['--memory', 'elsewhere'], unexpected('elsewhere', 'see "og install-mcp --help"'))
})
