// The page's own colours follow what the browser asks for; the library has a button for it only in a bar that this
// page lacks.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// No validator: the default one is another host's. The dialog offers what opens every operation; HTTP Basic
// opens only `/Token`.
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
      statePlugins: {
        auth: {
          wrapActions: {
            // The library would begin with the token's box, which comes last.
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
