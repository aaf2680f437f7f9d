import { expect, test } from 'bun:test'
import { z } from 'zod'
import { defineMemoryTool, type MemoryFace } from '../../../src/mcp/memory/memory-tool.ts'
import { readOnlyAnnotations } from '../../../src/mcp/tool.ts'
import { OgError } from '../../../src/platform/error.ts'

const face: MemoryFace = {
  session: async () => ({ workspace: { path: '/real/notes/work' } }) as never,
  root: '/srv/ann/notes',
  workspace: 'work',
  readOnly: false,
  isForPrograms: false,
  dispatcherMode: false,
  exposeMemoryList: false,
  hasCompactionThreshold: false,
  hasInbox: false,
}
const { signal } = new AbortController()
const context = { memory: face, signal, report() {} }

/** A tool that echoes its arguments, or throws `fails`. */
const toolThat = (fails: Error | null, text?: (envelope: { [field: string]: unknown }) => string) =>
  defineMemoryTool({
    name: 'memory_test',
    title: 'Test',
    description: 'tests',
    annotations: readOnlyAnnotations,
    input: z.strictObject({ n: z.int() }),
    output: z.looseObject({ status: z.literal('ok') }),
    ...(text && { text }),
    async run(_, { n }) {
      if (fails) throw fails
      return { n }
    },
  })

const failure = (work: Promise<unknown>): Promise<OgError> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )

test('wraps a result in an envelope, as data and as text', async () => {
  const { text, structured } = await toolThat(null).run(context, { n: 3 })
  expect([text, structured]).toEqual(['{"status":"ok","n":3}', { status: 'ok', n: 3 }])
  expect(await toolThat(null).answer(context, { n: 4 })).toEqual({ status: 'ok', n: 4 })
  const told = await toolThat(null, ({ n }) => `it is ${n}`).run(context, { n: 5 })
  expect([told.text, told.structured]).toEqual(['it is 5', { status: 'ok', n: 5 }])
})

test('keeps the hint and the cause of an error and names the tool', async () => {
  const cause = new OgError('No such entry', { hint: 'search first' })
  const error = await failure(toolThat(cause).run(context, { n: 1 }))
  expect(error).toBeInstanceOf(OgError)
  expect(error.message).toBe('Error executing tool memory_test: No such entry')
  expect(error.hint).toBe('search first')
})

test("prefixes unexpected errors and denied paths with the tool's name", async () => {
  const check = async (fault: Error, expected: string, failed?: string) =>
    expect((await failure(toolThat(fault).answer(context, { n: 1 }, failed))).message).toBe(
      expected,
    )
  await check(new OgError('plain'), 'plain')
  await check(new Error('EIO'), `Tool 'memory_test' failed: EIO`)
  await check(
    new OgError('Access denied', { code: 'denied' }),
    `Tool 'memory_test' failed: Access denied`,
  )
  await check(new Error('EIO'), `Action 'read' failed: EIO`, `Action 'read' failed: `)
})

test('removes local paths from messages in any spelling', async () => {
  const check = async (message: string, expected: string, memory = face) =>
    expect(
      (await failure(toolThat(new OgError(message)).answer({ memory }, { n: 1 }))).message,
    ).toBe(expected)
  await check('Cannot read /srv/ann/notes/work/USER.md', 'Cannot read USER.md')
  await check('Cannot read /real/notes/work/daily/a.md', 'Cannot read daily/a.md')
  await check('Cannot open /real/notes/work: EACCES', 'Cannot open its folder: EACCES')
  await check('Cannot make /srv/ann/notes', 'Cannot make its folder')
  await check('/srv/ann/notes/a and /srv/ann/notes/b', 'a and b')
  // If opening fails, the error is still reported without paths.
  const closed = { ...face, session: () => Promise.reject(new Error('no')) }
  await check('Cannot open /srv/ann/notes/work: EACCES', 'Cannot open its folder: EACCES', closed)
})
