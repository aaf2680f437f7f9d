import { expect, test } from 'bun:test'
import { zipEntry } from '../../scripts/build/zip.ts'

// python3 -c "import zipfile,base64,io; b=io.BytesIO(); z=zipfile.ZipFile(b,'w');
// z.writestr('a.txt','stored'); z.writestr('d/b.txt','deflated '*20,zipfile.ZIP_DEFLATED);
// z.comment=b'end'; z.close(); print(base64.b64encode(b.getvalue()).decode())"
const archive = Buffer.from(
  'UEsDBBQAAAAAAAAAIQAL+UNWBgAAAAYAAAAFAAAAYS50eHRzdG9yZWRQSwMEFAAAAAgAAAAhAAfWb5AOAAAAtAAA' +
  'AAcAAABkL2IudHh0S0lNy0ksSU1RSBk6DABQSwECFAMUAAAAAAAAACEAC/lDVgYAAAAGAAAABQAAAAAAAAAAAAAA' +
  'gAEAAAAAYS50eHRQSwECFAMUAAAACAAAACEAB9ZvkA4AAAC0AAAABwAAAAAAAAAAAAAAgAEpAAAAZC9iLnR4dFBL' +
  'BQYAAAAAAgACAGgAAABcAAAAAwBlbmQ=',
  'base64',
)

test('an entry is read stored or deflated', () => {
  expect(zipEntry(archive, 'a.txt').toString()).toBe('stored')
  expect(zipEntry(archive, 'd/b.txt').toString()).toBe('deflated '.repeat(20))
})

test('what cannot be read is said', () => {
  expect(() => zipEntry(archive, 'b.txt')).toThrow('the archive holds no entry "b.txt"')
  expect(() => zipEntry(Buffer.from('<html>'), 'a.txt')).toThrow('not a ZIP archive')
  expect(() => zipEntry(archive.subarray(40), 'a.txt')).toThrow('damaged ZIP archive')
})
