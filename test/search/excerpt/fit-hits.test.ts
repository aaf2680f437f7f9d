import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { fitHits } from '../../../src/search/excerpt/fit-hits.ts'
import { writeFiles } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { openTestStore } from '../../support/test-store.ts'

const temp = disposeAfterAll(await createTempFolder('og fit hits'))
const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))

test('shows related symbols on a line below the first hit, not as hits', async () => {
  const words = 'It is described here in many more words. '.repeat(45)
  writeFiles(join(temp.path, 'oven'), {
    'pyproject.toml': '',
    'oven/__init__.py':
      `class Thermostat:\n    """Keeps the temperature of an oven. ${words}"""\n` +
      '    def hold(self, degrees: int) -> None:\n        """Holds one temperature."""\n\n' +
      'def mount(oven: str) -> Thermostat:\n    """Puts it into an oven to keep it warm."""\n',
  })
  await store.add('oven', join(temp.path, 'oven'), { version: '1' })
  const request = { library: 'oven', version: '1', sizes: [900, 350] }
  const [first, ...others] = await store.search('keep the temperature described', request)
  const lines = first!.text.split('\n').filter((line) => line.startsWith('['))
  expect(lines).toContain(
    '[oven.Thermostat.hold] `def hold(degrees: int) -> None`: Holds one temperature.',
  )
  expect(others.map(({ name }) => name)).not.toContain('oven.Thermostat.hold')
  const whole = await store.search('keep the temperature described', {
    ...{ library: 'oven', version: '1' },
  })
  expect(whole.length).toBeGreaterThan(1 + others.length)
})

test('returns no hits if there are none', () => {
  const focus = { terms: [], nameScore: () => 0 }
  expect(fitHits([], { sizes: [9], focus, wantsCode: false, wantsExample: false })).toEqual([])
})
