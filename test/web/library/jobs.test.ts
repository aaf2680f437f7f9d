import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { OgError } from '../../../src/platform/error.ts'
import { jobRoutes } from '../../../src/web/library/jobs.ts'
import { formTokenIn, openTestSite, type TestSite } from '../../support/page/site.ts'
import { until } from '../../support/until.ts'
import { writeFiles } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import type { Ingest } from '../../../src/web/visit.ts'

const main = join(import.meta.dir, '../../../src/main.ts')
const ingest: Ingest = {
  self: [process.execPath, main],
  env: {},
  checkSource: async (typed) => {
    if (typed.includes('secret')) throw new OgError(`"${typed}" may not be read from here`)
  },
}

const site = disposeAfterAll(await openTestSite({ ingest }))
Object.assign(ingest, { env: { ...process.env, ...site.home.env } })
const readOnly = disposeAfterAll(await openTestSite())
for (const one of [site, readOnly]) {
  await one.add('kitchen', '1.0', { 'pot.md': '# Pot\n\nIt stews.\n' })
}

async function send(to: TestSite, path: string, form: Record<string, string> = {}) {
  const token = formTokenIn((await site.ask('/libraries')).text)
  return to.ask(path, { form: { form: token, ...form } })
}

const versions = async () => (await site.home.og.list()).map((it) => `${it.library} ${it.version}`)

test('a read-only server shows no buttons for changes and rejects such requests', async () => {
  const { text } = await readOnly.ask('/libraries')
  expect(text).not.toMatch(/action="\/(?:libraries|jobs)\//)
  for (const { method, path } of jobRoutes.filter(({ method }) => method === 'POST')) {
    expect([path, (await readOnly.ask(path, { method, form: {} })).status]).toEqual([path, 403])
  }
  expect((await readOnly.ask('/libraries/remove?library=kitchen&version=1.0')).status).toBe(403)
})

test('adds and updates a library by jobs, which the page lists', async () => {
  writeFiles(site.home.path, { 'more/pan.md': '# Pan\n\nIt fries.\n' })
  const source = join(site.home.path, 'more')
  const answer = await send(site, '/libraries/add', { library: 'pans', source, version: '2.0' })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/libraries'])
  await until('it is there', async () => (await versions()).includes('pans 2.0'))
  await until('its job has ended', async () =>
    /add pans 2\.0<\/span>\s*<span class="badge done">done/.test(
      (await site.ask('/libraries')).text,
    ),
  )
  expect((await send(site, '/libraries/update', { library: 'pans', version: '2.0' })).status).toBe(
    303,
  )
  await until('its job has ended', async () =>
    /update pans 2\.0<\/span>\s*<span class="badge done">done/.test(
      (await site.ask('/libraries')).text,
    ),
  )
})

test('a job belongs to the library that it adds, even if the name contains a version', async () => {
  await send(site, '/libraries/add', { library: 'nowhere-known@2.0' })
  await until('it has ended', async () =>
    (await site.ask('/libraries')).text.includes('<span class="name">add nowhere-known 2.0</span>'),
  )
})

test('shows the error of a failed job', async () => {
  await send(site, '/libraries/add', { library: 'none', source: join(site.home.path, 'none') })
  await until('it has failed', async () =>
    /<span class="badge failed">failed<\/span>\s*Cannot use /.test(
      (await site.ask('/libraries')).text,
    ),
  )
})

test('rejects a forbidden source before it starts a job', async () => {
  const { status, text } = await send(site, '/libraries/add', { library: 'x', source: 'secret' })
  expect([status, text.includes('may not be read from here')]).toEqual([400, true])
  expect((await send(site, '/libraries/add', {})).status).toBe(400)
  expect((await send(site, '/jobs/stop', { job: '../..' })).status).toBe(404)
})

test('passes no value as an option, and rejects forms of other sites', async () => {
  const { text } = await site.ask('/libraries')
  const form = { form: formTokenIn(text), library: '--help' }
  expect((await site.ask('/libraries/add', { form })).status).toBe(303)
  await until('it has failed', async () =>
    (await site.ask('/libraries')).text.includes('<span class="name">add --help </span>'),
  )
  const foreign = { form, headers: { 'sec-fetch-site': 'cross-site' } }
  expect((await site.ask('/libraries/add', foreign)).status).toBe(403)
})

test('removes a version after a confirmation', async () => {
  const place = { library: 'kitchen', version: '1.0' }
  const asked = await site.ask(`/libraries/remove?${new URLSearchParams(place)}`)
  expect(asked.text).toContain('<h1>Remove kitchen 1.0?</h1>')
  expect(await versions()).toContain('kitchen 1.0')
  expect((await send(site, '/libraries/remove', place)).status).toBe(303)
  expect(await versions()).not.toContain('kitchen 1.0')
  expect((await send(site, '/libraries/rollback', place)).status).toBe(404)
})
