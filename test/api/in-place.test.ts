import { expect, test } from 'bun:test'
import { pythonFinder } from '../../src/api/find-python.ts'
import { chosenMembers, placedMarkdown, type MemberChoice } from '../../src/api/in-place.ts'

const code = `class Base:
    def off(self):
        """Turns off."""
class Lamp(Base):
    """A lamp."""
    def on(self):
        """Turns on."""
    def plain(self): ...
    def _own(self):
        """Hidden."""
`
const found = async () => (await pythonFinder(async () => code, [''])('m.Lamp'))!
const choice: MemberChoice = { members: 'documented', excluded: new Set(), hasInherited: false }
const names = async (other: Partial<MemberChoice>) =>
  chosenMembers(await found(), { ...choice, ...other }).map(({ name }) => name)

test('selects members by a list or by their documentation', async () => {
  expect(await names({})).toEqual(['on'])
  expect(await names({ members: 'all' })).toEqual(['on', 'plain'])
  expect(await names({ members: 'none' })).toEqual([])
  expect(await names({ members: ['off', 'plain', 'x'] })).toEqual(['off', 'plain'])
  expect(await names({ hasInherited: true, excluded: new Set(['on']) })).toEqual(['off'])
})

test('renders an object below a heading of the given level', async () => {
  expect(placedMarkdown(await found(), { choice, level: 3 })).toBe(
    '### `m.Lamp`\n\n```python\nclass Lamp(Base)\n```\n\nA lamp.\n\n' +
      '#### `on`\n\n```python\ndef on()\n```\n\nTurns on.',
  )
})
