import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'
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

test('shortens a later hit to the symbol that names it', () => {
  const word = 'Heat of bread. '
  const symbol = (name: string) =>
    `## \`oven.${name}\`\n\n\`\`\`python\ndef ${name}()\n\`\`\`\n\n${word}`
  const shown = (text: string) => ({
    hit: {
      url: 'oven/heat.py#L1',
      text,
      row: { url: 'oven/heat.py#L1', title: 'oven', heading: 'oven > oven.heat', content: text },
    },
    outline: outlinePage({ text, markup: 'markdown' }),
  })
  const focus = { terms: ['bread'], nameScore: () => 0 }
  const several = symbol('heat') + word.repeat(20) + `\n\n${symbol('bake')}`
  const fitting = { sizes: [2000, 250], focus, wantsCode: false, wantsExample: false }
  const other = {
    ...shown('A guide.'),
    hit: { ...shown('A guide.').hit, url: 'a', row: { url: 'a' } },
  }
  const hits = fitHits([other, shown(several)] as unknown as Parameters<typeof fitHits>[0], fitting)
  expect(hits[1]!.text).toContain('Heat of bread.')
  expect(hits[1]!.text).not.toContain('bake')
})

test('names the members that a cut list of the first symbol lacks', () => {
  const item = (name: string) => `- \`${name}: string\`: About ${name}. ${'Heat. '.repeat(20)}`
  const items = ['bread', 'cake', 'pie', 'oven.tart'].map(item).join('\n')
  const text = `# \`oven.Options\`\n\n\`\`\`ts\ninterface Options\n\`\`\`\n\n${items}\n`
  const row = { url: 'o.ts#L1', title: 'oven.Options', heading: 'oven.Options', start_offset: 0 }
  const shown = { hit: { text, row }, outline: outlinePage({ text, markup: 'markdown' }) }
  const focus = { terms: ['bread'], nameScore: () => 0 }
  const textFor = (size: number) => {
    const fitting = { sizes: [size], focus, wantsCode: false, wantsExample: false }
    return fitHits([shown] as unknown as Parameters<typeof fitHits>[0], fitting)[0]!.text
  }
  expect(textFor(220)).toEndWith('\n\nOther members: cake, pie')
  expect(textFor(2000)).not.toContain('Other members')
})

test('shortens the third hit further if the query asks for an example', () => {
  const text = 'Heat the bread well. '.repeat(40).replaceAll('. ', '.\n\n')
  const outline = outlinePage({ text, markup: 'markdown' })
  const hit = (at: number) => {
    const words = `${text}\n\nPage ${at}.`
    const row = { url: `page ${at}`, title: 'Heat', heading: '', content: words }
    return { hit: { url: `page ${at}`, text: `${'x'.repeat(at)} ${words}`, row }, outline }
  }
  const shown = [hit(1), hit(2), hit(3)] as unknown as Parameters<typeof fitHits>[0]
  const focus = { terms: ['bread'], nameScore: () => 0 }
  const lengths = (wantsExample: boolean) =>
    fitHits(shown, { sizes: [600, 300, 200, 50], focus, wantsCode: true, wantsExample }).map(
      (it) => it.text.length,
    )
  expect(lengths(true)[2]).toBeLessThan(80)
  expect(lengths(true).slice(0, 2)).toEqual(lengths(false).slice(0, 2))
  expect(lengths(false)[2]).toBeGreaterThan(120)
})

test('returns no hits if there are none', () => {
  const focus = { terms: [], nameScore: () => 0 }
  expect(fitHits([], { sizes: [9], focus, wantsCode: false, wantsExample: false })).toEqual([])
})
