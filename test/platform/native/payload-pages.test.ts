import { expect, test } from 'bun:test'
import { releaseBundlePages, findBundleMapping } from '../../../src/platform/native/load.ts'

const maps = `00200000-01a39000 r--p 00000000 fe:00 60887 /opt/an og
01a40000-0684a000 r-xp 01838000 fe:00 60887 /opt/an og
0684a000-0685f000 rw-p 06641000 fe:00 60887 /opt/an og
06867000-0db00000 rw-p 0665e000 fe:00 60887 /opt/an og
7f0000000000-7f0010000000 rw-p 00000000 00:00 0
7f1000000000-7f1010000000 rw-p 00000000 fe:00 60888 /opt/other
`

test('finds the bundled files in the only large writable mapping', () => {
  expect(findBundleMapping(maps, '/opt/an og')).toEqual({ start: 0x6867000n, end: 0xdb00000n })
  expect(findBundleMapping(maps, '/opt/none')).toBe(null)
  expect(findBundleMapping('', '/opt/an og')).toBe(null)
})

test('does nothing if no files are bundled', () => {
  expect(releaseBundlePages()).toBeUndefined()
})
