// Follows the browser's colour scheme. Swagger UI's own switch is in a top bar that this page lacks.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const address = new URL('.', location).href.replace(/\/$/, '');
const guides = [...document.querySelectorAll('a.guide')];

/** Shows the samples of an operation, one at a time, above its answers. */
const withSamples = (Responses, { React, specSelectors }) => {
  const h = React.createElement;
  function Samples({ samples }) {
    const [at, setAt] = React.useState(0);
    const text = samples[at].source.replaceAll('$BASE_URL', address);
    const tabs = samples.map(({ label }, index) =>
      h('button', { key: label, 'aria-pressed': index === at, onClick: () => setAt(index) }, label),
    );
    // Browsers have a clipboard only on https and on this machine.
    const copy = navigator.clipboard
      ? h('button', { className: 'copy', onClick: () => navigator.clipboard.writeText(text) }, 'Copy')
      : null;
    return h('div', { className: 'samples' }, ...tabs, copy, h('pre', { tabIndex: 0 }, text));
  }
  return (props) => {
    const samples = specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples']);
    const shown = samples ? h(Samples, { samples: samples.toJS() }) : null;
    return h(React.Fragment, null, shown, h(Responses, props));
  };
};

/** Lists the guides below the introduction. Each is loaded when it is opened. */
const withGuides = (Introduction, { React, getComponent }) => {
  const h = React.createElement;
  function Guide({ link }) {
    const [text, setText] = React.useState('');
    const load = async ({ currentTarget }) => {
      if (!currentTarget.open || text !== '') return;
      const answer = await fetch(link.href);
      setText((await answer.text()).replaceAll(/\]\(([\w-]+\.md)/g, '](docs/$1'));
    };
    const shown = text === '' ? null : h(getComponent('Markdown', true), { source: text });
    return h('details', { onToggle: load }, h('summary', null, link.textContent), shown);
  }
  const list = guides.map((link) => h(Guide, { key: link.href, link }));
  const shown = h('div', { className: 'wrapper' }, h('div', { className: 'info guides' }, list));
  return (props) => h(React.Fragment, null, h(Introduction, props), shown);
};

// A link to a guide opens it on the page, unless a new tab is asked for.
document.addEventListener('click', (event) => {
  const to = event.target.closest('a')?.href.split('#')[0];
  const at = guides.findIndex(({ href }) => href === to);
  const guide = document.querySelectorAll('.guides details')[at];
  if (guide === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  guide.open = true;
  guide.scrollIntoView();
});

// No validator: the default one is on another host. HTTP Basic is left out of the dialog, because it opens
// only `/Token`.
SwaggerUIBundle({
  dom_id: '#docs',
  url: 'openapi.json',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  validatorUrl: null,
  plugins: [
    {
      wrapComponents: { responses: withSamples, InfoContainer: withGuides },
      statePlugins: {
        auth: {
          wrapActions: {
            // Swagger UI would focus the token field, which comes last.
            showDefinitions: (original) => (shown) => {
              const done = original(shown);
              if (shown) {
                requestAnimationFrame(() => {
                  document.getElementById('client_id_clientCredentials')?.focus();
                });
              }
              return done;
            },
          },
          wrapSelectors: {
            definitionsToAuthorize:
              (original) =>
              (...given) =>
                original(...given).filter((definition) => !definition.has('clientBasic')),
          },
        },
      },
    },
  ],
});
