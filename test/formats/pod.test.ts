import { expect, test } from 'bun:test'
import { parsePod } from '../../src/formats/pod.ts'

test('converts the documentation of a module to Markdown', () => {
  const { title, description, text } = parsePod(
    `package Kettle;
sub boil { 1 }

1;

=encoding utf8

=head1 NAME

Kettle - Boils water

=head1 METHODS

=head2 boil

  my $k = Kettle->new;

  $k->boil;

Boils C<$k>.

=over 4

=item * first

=item *

second

More.

=back

=begin html

<b>no</b>

=end html

=cut

sub hidden { 2 }

=pod

End.
`,
    'lib/Kettle.pm',
  )
  expect({ title, description }).toEqual({
    title: 'Kettle - Boils water',
    description: 'Boils water',
  })
  expect(text).toBe(`## NAME

Kettle - Boils water

## METHODS

### boil

\`\`\`perl
my $k = Kettle->new;

$k->boil;
\`\`\`

Boils \`$k\`.

- first

-

  second

  More.

End.
`)
})

test('makes items that name functions headings, with all their forms', () => {
  const { text } = parsePod(
    '=head1 FUNCTIONS\n\n=over\n\n=item chomp VARIABLE\n\n=item chomp( LIST )\n\nRemoves.\n\n=item --force\n\nForces.\n\n=item A term of words\n\nText.\n\n=back\n',
    'a.pod',
  )
  expect(text).toBe(`## FUNCTIONS

### \`chomp VARIABLE\`

\`\`\`perl
chomp VARIABLE
chomp( LIST )
\`\`\`

Removes.

### \`--force\`

Forces.

- **A term of words**

  Text.
`)
})

test('takes the title of a module whose NAME is written at its release', () => {
  const source = 'package Kettle::Tap;\n# ABSTRACT: Fills kettles\n\n=method fill\n\nFills.\n'
  const { title, text } = parsePod(source, 'lib/Kettle/Tap.pm')
  expect(title).toBe('Kettle::Tap - Fills kettles')
  expect(text).toBe('### fill\n\nFills.\n')
})

test('reads POD without a blank line between it and the program', () => {
  const source = 'sub a {}\n=head1 METHODS\n\nBoils.\n=cut\nsub b {}\n\n  c\n\n=pod\n\nEnd.\n=cut\n'
  expect(parsePod(source, 'a.pm').text).toBe('## METHODS\n\nBoils.\n\nEnd.\n')
})

test('rejects modules without documentation', () => {
  expect(() => parsePod('package A;\n1;\n', 'A.pm')).toThrow('no POD')
})
