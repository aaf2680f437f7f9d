import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJob } from '../../../../src/library/jobs/job-folder.ts'
import { openHome } from '../../../support/run-og.ts'

test('__job runs a command verbatim and records its outcome', async () => {
  using home = openHome()
  const folder = join(home.path, 'job')
  mkdirSync(folder)
  const job = (...words: string[]) =>
    home.run(['__job', `--folder=${folder}`, '--library=zoo', '--', ...words])
  expect(await job('list', '--json')).toMatchObject({ code: 0, stdout: '[]\n' })
  expect(await readJob(folder)).toMatchObject({ library: 'zoo', version: null, state: 'done' })
  const failed = await job('add', '--json', '--', '-x')
  expect(failed.code).toBe(2)
  expect(await readJob(folder)).toMatchObject({
    state: 'failed',
    exitCode: 2,
    words: ['add', '--json', '--', '-x'],
  })
})
