import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFiles } from '../../../support/repository.ts'
import { openHome } from '../../../support/run-og.ts'
import { disposeAfterAll } from '../../../support/run/dispose.ts'

const words = disposeAfterAll(openHome())
const file = join(words.path, 'questions.jsonl')
writeFiles(join(words.path, 'docs'), {
  'boiler.md': '# The boiler room\n\nThe boiler is lit before anything else is done.\n',
  'lamp.md': '# The lamp shop\n\nA lamp needs a wick that was trimmed today.\n',
})
writeFileSync(file, '{"id": "1", "question": "trimmed wick", "gold": ["lamp.md"]}\n')

test('compares a library with a copy that another model embeds, and changes nothing', async () => {
  const env = { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }
  await words.run(['add', 'demo', '-s', join(words.path, 'docs'), '-v', '1'], { env })
  const listed = async () => (await words.run(['list', '--json'], { env })).stdout
  const before = await listed()
  const argv = ['-l', 'demo', '--model', 'bge-small-en-v1.5', '--json']
  const { stdout, code } = await words.run(['eval', file, ...argv], { env })
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      library: 'demo',
      version: '1',
      models: [
        { model: 'none', questions: 1, ndcg_10: 1, hit_5: 1, seconds: null },
        { model: 'BAAI/bge-small-en-v1.5', questions: 1, ndcg_10: 1, hit_5: 1 },
      ],
      dimensions: 384,
      license: 'MIT',
    },
  ])
  expect(JSON.parse(stdout).models[1].seconds).toBeGreaterThan(0)
  expect(await listed()).toBe(before)
  const self = await words.run(['eval', '--self', ...argv.slice(0, -1)], { env })
  expect(self.stdout).toMatch(/^demo 1: 4 questions\nMODEL .*\nnone +- +1\.000 +- +-$/m)
  expect(self.stdout).toMatch(/^BAAI\/bge-small-en-v1\.5 +- +1\.000 +- +\d+\.\d$/m)
  expect(self.stdout).toEndWith('384 dimensions, licence MIT\n')
  writeFiles(join(words.path, 'tiny'), { 'a.md': 'Short.\n' })
  await words.run(['add', 'tiny', '-s', join(words.path, 'tiny'), '-v', '1'], { env })
  const tiny = await words.run(['eval', '--self', '-l', 'tiny', '-m', 'bge-small-en-v1.5'], { env })
  expect(tiny).toMatchObject({ code: 2, stdout: '' })
  expect(tiny.stderr).toContain('Cannot compare models: tiny 1 has too little text for questions')
})
