import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openHome } from '../../../support/run-og.ts'
import { homePaths } from '../../../support/run/home-paths.ts'

/** A shell command that acts as an editor and replaces the file with this text. */
const writes = (text: string) => `printf '%s' '${text}' >`

type Expected = { code?: number; stderr: RegExp; text: string | null }

test('config edit saves valid settings and writes invalid ones to another file', async () => {
  using home = openHome()
  const file = join(home.path, homePaths.settings)
  const check = async (editor: string, { code = 0, stderr, text }: Expected) => {
    const env = { EDITOR: editor, PATH: process.env.PATH!, OG_QUERY__TOP_K: '9' }
    const ran = await home.run(['config', 'edit'], { env })
    expect(ran.stderr).toMatch(stderr)
    expect(ran.code).toBe(code)
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(text)
  }
  await check('false', { code: 2, stderr: /"false" ended with 1; nothing changed/, text: null })
  const good = '{"query": {"top_k": 7}}'
  await check(writes(good), { stderr: /^Config saved to /, text: good })
  await check('true', { stderr: /^Nothing was changed/, text: good })
  const broken = '{\n  "query": {,}\n}'
  await check(writes(broken), {
    code: 2,
    stderr: /config\.json": it is not valid JSON \(line 2, column 13: .*\); config\.json was not/,
    text: good,
  })
  expect(readFileSync(`${file}.rejected`, 'utf8')).toBe(broken)
  const wrong = '{"query": {"top_k": "many"}}'
  const ofFile = /for query\.top_k \(from .*config\.json/
  await check(writes(wrong), { code: 2, stderr: ofFile, text: good })
})

test('config edit does not overwrite a file that another program changed', async () => {
  using home = openHome()
  const file = join(home.path, homePaths.settings)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{}')
  const [theirs, ours] = ['{"query": {"top_k": 8}}', '{"query": {"top_k": 7}}']
  const env = { EDITOR: `${writes(theirs)} "${file}"; ${writes(ours)}`, PATH: process.env.PATH! }
  const { code, stderr } = await home.run(['config', 'edit'], { env })
  expect(stderr).toMatch(/Cannot save config ".*": another program has changed it/)
  expect(code).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe(theirs)
  expect(readFileSync(`${file}.rejected`, 'utf8')).toBe(ours)
})
