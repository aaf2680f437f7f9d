import { expect, test } from 'bun:test'
import { command, effectiveOptions } from '../../src/cli/command.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { renderMan } from '../../scripts/build/man.ts'
import { memorySettings } from '../../src/config/memory-setting.ts'
import { settings } from '../../src/config/setting.ts'

const commands = await loadCommands()

const known = /^\.(TH|SH|SS|PP|TP|HP|B|nh|ad)( |$)/

test('the manual page contains every command, option and setting', () => {
  const page = renderMan(commands)
  const text = page.replaceAll('\\-', '-')
  for (const command of commands) {
    const { name, hidden } = command
    expect(text.includes(`\n.SS og ${name}`)).toBe(!hidden)
    if (!hidden)
      for (const option of effectiveOptions(command)) expect(text).toContain(`--${option}`)
  }
  for (const { key } of [...settings, ...memorySettings]) expect(text).toContain(`\n.B ${key}\n`)
  const requests = page.split('\n').filter((line) => /^[.']/.test(line))
  expect(requests.filter((line) => !known.test(line))).toEqual([])
  expect(page).toMatch(/^[\x00-\x7f]+$/)
})

test('escapes special characters of roff', () => {
  const odd = command({
    name: 'odd',
    summary: 'x',
    positionals: { file: { doc: '.so /etc/passwd' }, text: { doc: "'quoted' a\\b – c" } },
    options: {},
    run: async () => 0,
  })
  const page = renderMan([odd])
  expect(page).toContain('\n\\&.so /etc/passwd\n')
  expect(page).toContain("\n\\&'quoted' a\\(rsb \\[u2013] c\n")
})
