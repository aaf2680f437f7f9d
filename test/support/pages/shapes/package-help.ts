import type { Shapes } from './filled.ts'

const rdHead = '\\name{a}\\title{b}\\details{'

export const rdShapes: Shapes = {
  'nested code': [rdHead, '\\code{', ''],
  'nested lists': [rdHead, '\\itemize{\\item ', ''],
  'closed lists': [rdHead, '\\itemize{\\item a}', '}'],
  braces: [rdHead, '{', ''],
  'closing braces': ['', '}', '\\name{a}\\title{b}\\details{c}'],
  items: [`${rdHead}\\itemize{`, '\\item a\n', '}}'],
  'blank lines': [rdHead, 'a\n \n', '}'],
  'spaces before an argument': [rdHead, '\\section{a} ', '}'],
  'spaces after an argument': [`${rdHead}\\section{a}`, ' ', 'b}'],
  'open strings': ['\\name{a}\\title{b}\\usage{', '"a', ''],
  escapes: ['\\name{a}\\title{b}\\usage{"', '\\\\', '}'],
  comments: [rdHead, ' % a\n', '}'],
  'comments on one line': [rdHead, ' %', '}'],
  cells: [`${rdHead}\\tabular{l}{`, 'a \\tab ', '}}'],
  rows: [`${rdHead}\\tabular{l}{`, 'a \\tab b\\cr\n', '}}'],
  aliases: ['\\name{a}\\title{b}\\usage{a()}', '\\alias{c}', ''],
  conditions: [rdHead, '\\if{html}{', ''],
  'parts of systems': ['', '#ifdef windows\n', '\\name{a}\\title{b}\\details{c}'],
  'parts of this system': ['', '#ifdef unix\n', '\\name{a}\\title{b}\\details{c}'],
  options: [rdHead, '\\link[a', '}'],
  'options of figures': [`${rdHead}\\figure{a}{options:`, " alt='a", '}}'],
}

export const podShapes: Shapes = {
  codes: ['=head1 A\n\n', 'B<a ', '\n'],
  'codes with several marks': ['=head1 A\n\n', 'C<< a ', '\n'],
  'closing marks': ['=head1 A\n\n', '>', '\n'],
  links: ['=head1 A\n\n', 'L<a|', '\n'],
  'nested links': ['=head1 A\n\nL<', 'L<a/', '\n'],
  quotes: ['=head1 A\n\nL<a/', '"', '>\n'],
  lists: ['', '=over\n\n', 'a\n'],
  items: ['=over\n\n', '=item a\n\n', '=back\n'],
  'nested items': ['', '=over\n\n=item a b\n\n', ''],
  verbatim: ['=head1 A\n\n', ' a\n\n', ''],
  'blank lines': ['=head1 A\n', ' \n', 'a\n'],
  'other formats': ['=head1 A\n\n', '=begin html\n\n', 'a\n'],
  'an item of words': ['=over\n\n=item ', 'a ', '\n\n=back\n'],
  'a name of dashes': ['=head1 NAME\n\na ', '- ', '\n'],
}
