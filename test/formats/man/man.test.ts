import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { isMan, parseCompressedMan, parseMan } from '../../../src/formats/man/man.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

test('reads the man macros: sections, options, fonts and code', () => {
  const { title, description, text } = parseMan(
    `.\\" comment
.TH BOIL 1 2024
.SH NAME
boil \\- heats water
.SH SYNOPSIS
.B boil
[\\fB\\-t\\fR \\fIdegrees\\fR]
.SH OPTIONS
.TP
.BR \\-t ", " \\-\\-to
How hot.
.IP \\(bu 2
One.
.nf
boil -t 90
.fi
.ie n \\{\\
yes
.\\}
.el \\{\\
no
.\\}
`,
    'boil.1',
  )
  expect({ title, description }).toEqual({ title: 'boil(1)', description: 'boil - heats water' })
  expect(text.replace(/\n{2,}/g, '\n')).toBe(`## NAME
boil - heats water
## SYNOPSIS
**boil** [**-t** *degrees*]
## OPTIONS
### \`-t, --to\`
How hot.
- One.
\`\`\`
boil -t 90
\`\`\`
yes
`)
})

test('reads the mdoc macros', () => {
  const { title, text } = parseMan(
    `.Dd May 1, 2024
.Dt BOIL 8
.Sh NAME
.Nm boil
.Nd heats water
.Sh SYNOPSIS
.Nm
.Op Fl t Ar degrees
.Sh DESCRIPTION
See
.Xr tea 1 .
.Bl -tag -width x
.It Fl v
Verbose.
.El
.Bd -literal
boil -v
.Ed
`,
    'boil.8',
  )
  expect(title).toBe('boil(8)')
  expect(text.replace(/\n{2,}/g, '\n')).toBe(`## NAME
**boil** — heats water
## SYNOPSIS
**boil** [\`-t\` *degrees*]
## DESCRIPTION
See tea(1).
### \`-v\`
Verbose.
\`\`\`
boil -v
\`\`\`
`)
})

test('rejects a file without the header of a manual page', () => {
  expect(isMan('text\n.TH X 1\n')).toBe(false)
  expect(() => parseMan('plain\n', 'a.1')).toThrow('not a manual page')
})

test('takes linear time for hostile pages', () => {
  const started = usedCpuMs()
  for (const piece of [
    '.if n \\{\\\n',
    '\\f[',
    '\\fB',
    '.TP\n',
    '.B "a',
    '.de x\n',
    '.Bl\n',
    '.Op Fl ',
  ]) {
    parseMan(`.TH A 1\n${piece.repeat(20_000)}`, 'a.1')
  }
  expect(usedCpuMs() - started).toBeLessThan(4000)
})

test('keeps a long paragraph that begins with an option as text', () => {
  const words = `\\-\\-quiet ${'is silent '.repeat(30)}`
  const { text } = parseMan(`.TH A 1\n.SH X\n.PP\n${words}\n.RS 4\nMore.\n.RE\n`, 'a.1')
  expect(text).not.toContain('###')
})

test('treats requests and escapes named after members of Object.prototype as unknown', () => {
  const text = '.TH X 1\n.SH NAME\nx \\- y\n.constructor a\n.toString\n\\[constructor] z\n'
  expect(parseMan(text, 'x.1').text).not.toContain('native code')
})

test('gives each option and setting a heading, below the heading of its section', () => {
  const { text } = parseMan(
    `.TH BOIL 1
.SH OPTIONS
.PP
\\fB\\-\\-to\\fR=<degrees>
.RS 4
How hot.
.sp
At most 100.
.PP
\\-\\-inner
.RS 4
Nested.
.RE
.RE
.SS Settings
.TP
.B \\-q
.TQ
.B \\-\\-quiet
Silent.
.RS
.TP
never
No sound.
.RE
.TP
boil.limit_max
The limit.
.TP
plain word
Text.
`,
    'boil.1',
  )
  expect(text.replace(/\n{2,}/g, '\n')).toBe(`## OPTIONS
### \`--to=<degrees>\`
How hot.
At most 100.
### \`--inner\`
Nested.
### Settings
#### \`-q, --quiet\`
Silent.
  - never: No sound.
#### \`boil.limit_max\`
The limit.
- plain word: Text.
`)
})

test('reads a compressed page, and refuses damaged and oversized ones', () => {
  const page = '.TH BOIL 1\n.SH NAME\nboil \\- heats water\n'
  expect(parseCompressedMan(gzipSync(page), 'boil.1.gz')).toEqual(parseMan(page, 'boil.1'))
  expect(() => parseCompressedMan(Buffer.from('x'.repeat(99)), 'boil.1.gz')).toThrow(
    'Cannot read page "boil.1.gz": incorrect header check',
  )
  const bomb = gzipSync('.TH A 1\n'.repeat(2 ** 20))
  expect(() => parseCompressedMan(bomb, 'a.1.gz')).toThrow('Cannot read page "a.1.gz"')
})
