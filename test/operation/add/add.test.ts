import { beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config/load.ts'
import { openOg } from '../../../src/open.ts'
import { add, type AddContext, type AddPlan } from '../../../src/operation/add/add.ts'
import type { AddInput } from '../../../src/operation/add/add-fields.ts'
import type { Note } from '../../../src/operation/note.ts'
import { openMcpHome } from '../../support/mcp.ts'
import { writeFiles } from '../../support/repository.ts'
import { addInput } from '../../support/why.ts'
import { homePaths } from '../../support/run/home-paths.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMcpHome)
beforeEach(
  () =>
    void writeFiles(home().path, {
      'lamp/a.md': '# A\n',
      'other/a.md': '# B\n',
      'other/b.md': '# C\n',
    }),
)

/** Adds from the home folder; `answers` are the user's replies, in order. */
async function added(
  input: Partial<AddInput>,
  { answers = null, ...changed }: Partial<AddContext> & { answers?: string[] | null } = {},
) {
  const told: Note[] = []
  const plans: AddPlan[] = []
  const next = () => answers?.shift() ?? ''
  const config = await loadConfig(home().env)
  const context: AddContext = {
    config,
    surroundings: { env: home().env, cwd: home().path, home: home().path },
    dialog: {
      canAsk: answers !== null,
      ask: async () => next() === 'y',
      askText: async () => next(),
      note() {},
    },
    openOg: async (reach) => openOg({ ...config, reach }, () => {}),
    replacesUnasked: false,
    onNote: (note) => void told.push(note),
    async onPlan(plan) {
      plans.push(plan)
      return true
    },
    ...changed,
  }
  const answer = await add.run(context, { ...addInput, ...input })
  expect(answer.notes).toEqual(told)
  return { value: answer.value, kinds: told.map(({ kind }) => kind), plans, json: add.json(answer) }
}

const versions = async () => (await home().og.list()).map((one) => `${one.library} ${one.version}`)

test('derives the library name from its source, indexes it and stores the source', async () => {
  const { value, kinds, json } = await added({ library: './lamp', version: '1' })
  expect(value).toMatchObject({ kind: 'indexed', result: { library: 'lamp', pages: 1 } })
  expect(kinds).toEqual(['source-chosen', 'source-saved'])
  expect(json).toMatchObject({ status: 'added', notes: [{ kind: 'source-chosen' }, {}] })
  expect(await versions()).toEqual(['lamp 1'])
  const saved = readFileSync(join(home().path, homePaths.sources), 'utf8')
  expect(JSON.parse(saved).lamp.local_path).toContain('lamp')
})

test('a dry run returns the plan and indexes nothing', async () => {
  const { value, json } = await added({ source: './lamp', version: '2', dry_run: true })
  expect(value.kind).toBe('planned')
  expect(json).toMatchObject({ library: 'lamp', version: '2', replaces: null })
  expect(await versions()).toEqual([])
})

test('replaces a version from another source only if the user agrees', async () => {
  await added({ source: './lamp', version: '1' })
  const other = { source: './other', version: '1' }
  expect((await added(other, { answers: ['n'] })).value).toEqual({
    kind: 'stopped',
    isDeclined: true,
  })
  const replaced = await added({ ...other, exclude: ['blog'] }, { replacesUnasked: true })
  expect(replaced.kinds).toEqual(['unused-field', 'replaced', 'source-saved'])
  expect(replaced.value).toMatchObject({ kind: 'indexed', result: { pages: 2 } })
})

test("running the plan's input asks no further questions", async () => {
  await added({ library: './lamp', version: '1' })
  writeFiles(home().path, { 'new/lamp/a.md': '# New\n' })
  const stopped = await added(
    { library: './new/lamp', version: '1' },
    { answers: ['fresh'], onPlan: async () => false },
  )
  expect(stopped.value).toEqual({ kind: 'stopped', isDeclined: false })
  const { plans } = await added({ library: './new/lamp', version: '1' }, { answers: ['fresh'] })
  expect(plans[0]!.input).toMatchObject({ library: './new/lamp', as: 'fresh', source: null })
  expect(await versions()).toEqual(['fresh 1', 'lamp 1'])
})

test('keeps the version from the name in the input of the plan', async () => {
  const { plans } = await added({ library: 'lamp@1.2', source: './lamp' })
  expect(plans[0]!.input).toMatchObject({ library: 'lamp', version: '1.2', source: './lamp' })
  expect(await versions()).toEqual(['lamp 1.2'])
})

test('does not store a source that an agent named', async () => {
  const config = await loadConfig(home().env)
  const reach = { hosts: [], folder: home().path }
  const { kinds } = await added(
    { source: './lamp', version: '1' },
    { config: { ...config, reach } },
  )
  expect(kinds).toEqual([])
})
