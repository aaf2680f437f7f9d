"""Builds documentation without importing its code. Unknown directives and roles are ignored."""
from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles

project = 'Ray'
copyright = 'the authors'
extensions = ['myst_parser', 'sphinx_design', 'sphinx_tabs.tabs', 'sphinx_copybutton', 'sphinx_sitemap',
              'sphinx.ext.doctest']
html_theme = 'sphinx_book_theme'
html_baseurl = 'https://ray.example/'
html_theme_options = {
    'repository_url': 'https://git.example/ray-project/ray', 'repository_provider': 'github', 'path_to_docs': 'doc/source',
    'use_edit_page_button': True, 'use_repository_button': True, 'use_issues_button': True,
    'announcement': 'Try the managed service: <a href="https://ray.example/managed">start now</a>',
}
sitemap_url_scheme = '{link}'
myst_enable_extensions = ['dollarmath', 'amsmath', 'colon_fence', 'deflist', 'linkify',
                          'substitution', 'html_image'][:4]
exclude_patterns = ['_templates', '_includes', '**/doc_code']
suppress_warnings = ['myst', 'ref', 'toc', 'docutils', 'app']


class Ignored(Directive):
    """Drops the content of a directive whose extension is not installed."""
    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True

    def run(self):
        return []


known = directives.directive


def directive(name, language, document):
    found, messages = known(name, language, document)
    return (found or Ignored), []


def plain_role(name, rawtext, text, lineno, inliner, options=None, content=None):
    return [nodes.literal(text, text)], []


known_role = roles.role


def role(name, language, lineno, reporter):
    found, messages = known_role(name, language, lineno, reporter)
    return (found or plain_role), []


def setup(app):
    # Sphinx looks in its own domains first and then asks these.
    directives.directive = directive
    roles.role = role
