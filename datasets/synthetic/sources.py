"""npm packages that the synthetic screens are made of, pinned by version and SHA-512, with their licences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cuakit.backends.npm import NpmPackage, fetch


@dataclass(frozen=True, slots=True)
class Source:
    """A pinned package and its licence."""

    name: str
    version: str
    integrity: str
    licence: str

    def folder(self) -> Path:
        """Where its files are, fetched if they were not."""
        return fetch(NpmPackage(name=self.name, version=self.version, integrity=self.integrity, max_files=100_000))


KITS = (
    Source(
        "bootstrap",
        "5.3.9",
        "sha512-20cU0rcfw8WdxtVbmfU+xT2EjvVTw9Ror/h1Qvd7DXCujRg8OO9mdBCsmTHdJFf3BuadmBNJtgIuUXsBqSkk/w==",
        "MIT",
    ),
    Source(
        "bulma",
        "1.0.4",
        "sha512-Ffb6YGXDiZYX3cqvSbHWqQ8+LkX6tVoTcZuVB3lm93sbAVXlO0D6QlOTMnV6g18gILpAXqkG2z9hf9z4hCjz2g==",
        "MIT",
    ),
    Source(
        "uikit",
        "3.25.29",
        "sha512-6pxXLPUXs0qJMn2KW+/KMn03LWOlIm54BOVK6Lb/ZhTSC/6sjzBDLNyFEiWNyj152lterTE6+wHAHcA8LGHeXA==",
        "MIT",
    ),
    Source(
        "fomantic-ui-css",
        "2.9.4",
        "sha512-4U8enaBjxAdjMfpTKhf0Of9/XZJo/WSh90FaF85gIYy669eGYe0tRFzE9T0lIiLRmxa20yKLhT6TvLxGau13dA==",
        "MIT",
    ),
    Source(
        "@patternfly/patternfly",
        "6.6.1",
        "sha512-8P9C1TmFk5y5s2/1XVjmP9JmSyDXDiNBwPZewhPizULtqlaRu+Evljx/X1HTSFrCNY0qgI1uDKy+NXiorIniyA==",
        "MIT",
    ),
    Source(
        "materialize-css",
        "1.0.0",
        "sha512-4/oecXl8y/1i8RDZvyvwAICyqwNoKU4or5uf8uoAd74k76KzZ0Llym4zhJ5lLNUskcqjO0AuMcvNyDkpz8Z6zw==",
        "MIT",
    ),
    Source(
        "spectre.css",
        "0.5.9",
        "sha512-9jUqwZmCnvflrxFGcK+ize43TvjwDjqMwZPVubEtSIHzvinH0TBUESm1LcOJx3Ur7bdPaeOHQIjOqBl1Y5kLFw==",
        "MIT",
    ),
    Source(
        "98.css",
        "0.1.21",
        "sha512-ddk5qtUWyapM0Bzd5jwGExoE5fdSEGrP+F5VbYjyZLf2c9UVmn6w2NPTvCsoD4BWdGsjdLjlkQGhWwWTJcYQJQ==",
        "MIT",
    ),
    Source(
        "xp.css",
        "0.3.0",
        "sha512-+J2RkwXfJsTjoJO0VDz4F4Wqan7tvkxjRArAjmMWAqrlZ775zyEhq1nVRNcPgka0aq9sXQWY3Tc3MvwDerfzxg==",
        "MIT",
    ),
    Source(
        "7.css",
        "0.21.1",
        "sha512-Q+/aFUpGemoR/Zltj4a7yvHonyxfb+9cgiwBL+j/Lm+H28EOoLzWoJki7MdGPV+3mLCvKSCVqr3M2x2uNYyeWw==",
        "MIT",
    ),
    Source(
        "@picocss/pico",
        "2.1.1",
        "sha512-kIDugA7Ps4U+2BHxiNHmvgPIQDWPDU4IeU6TNRdvXQM1uZX+FibqDQT2xUOnnO2yq/LUHcwnGlu1hvf4KfXnMg==",
        "MIT",
    ),
    Source(
        "foundation-sites",
        "6.9.0",
        "sha512-bZpjL6lxuGViy1UU/NuMddyAAJP0YgJYKNh+8ZtDWhQRtiY1yQISxHmgF4V8EFx7DWHDTdZC1fwFysnMAYkdQg==",
        "MIT",
    ),
    Source(
        "purecss",
        "3.1.0",
        "sha512-WAecQZddSR/sae+HJxUK2aczpT+McwyzPskbUZKer7RX7sIEEpit+lEihdRx/7CY/Mf+BPpFcm3xhyfz2cnwAg==",
        "BSD-3-Clause",
    ),
)
"""Style sheets that the synthetic pages wear."""

ICONS = (
    Source(
        "bootstrap-icons",
        "1.13.2",
        "sha512-fAU1Ly3dH7hwRg+CB8EZ0Vl0fF80zgXHeUVJyfUOKzoURr+TbwISbCW5tKUoQLERaWYG2emTCybcPbD96hdD1A==",
        "MIT",
    ),
    Source(
        "lucide-static",
        "1.62.0",
        "sha512-WBZA/m2PvkFpMGHDtsBck5P2A9G4ehLlYu4GwwICcmEm1BvYVgj00lCDxKRWLlbMlOibLaiwdQ88G5pHkSWgwA==",
        "ISC",
    ),
    Source(
        "@mdi/svg",
        "7.4.47",
        "sha512-WQ2gDll12T9WD34fdRFgQVgO8bag3gavrAgJ0frN4phlwdJARpE6gO1YvLEMJR0KKgoc+/Ea/A0Pp11I00xBvw==",
        "Apache-2.0",
    ),
    Source(
        "@fortawesome/fontawesome-free",
        "7.3.1",
        "sha512-wmglKKPDIkgV3aWlZzWECCPoGIkYCulzBwxG9+w7rc5BGapZ6cPMpoPOT8k36J0Ni7PPX6c/rsoMWfS4d1MUMg==",
        "CC-BY-4.0",
    ),
    Source(
        "@vscode/codicons",
        "0.0.45",
        "sha512-1KAZ7XCMagp5Gdrlr4bbbcAqgcIL623iO1wW6rfcSVGAVUQvR0WP7bQx1SbJ11gmV3fdQTSEFIJQ/5C+HuVasw==",
        "CC-BY-4.0",
    ),
)
"""Icon sets, one SVG file per icon."""

FONTS = (
    Source(
        "@fontsource/roboto",
        "5.3.0",
        "sha512-BapRJOWYP+LZ21zp+wBQjfpPYKRoxc4LspJ/RLuI+HSMBD5u/X4O+ESDrSvEqDSy0rAl7GwBJ+09mdc16cVQ1Q==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/inter",
        "5.3.0",
        "sha512-RofMylZmjlJEfELXeNHFWBRcSs75rGU/6bV2S2jfnvv/3rPXPGe0LgUJTklcHZ9lM4OZmAVFhcJPnACfb91A3g==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/open-sans",
        "5.3.0",
        "sha512-V1bdMlGNyZrJwzrdusshMOw2YR0aqYDL7kOo9dkxUEKl8dFv66A9HLckOOXl572sG/7ohhDQrCrTFGSn9LZcSw==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/ubuntu",
        "5.3.0",
        "sha512-LsjJXgE430QLs8LKfn1RIFbbdGAiZBU1gao8ASa4Z2kGNGh7lMb7Rzx09v3bLLuuK+3XA/JSLgPWTAbLD6r1fg==",
        "UFL-1.0",
    ),
    Source(
        "@fontsource/noto-sans",
        "5.3.0",
        "sha512-fBCog2PY7DiVVTEEqtI/Qdinx/knobHYfoGpjFXdfBX5RoJaBp1Prw2G75p0OIsdlMZg3cLo0c+YbIUYOxnQJw==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/source-sans-3",
        "5.3.1",
        "sha512-O3YxvbotUOgYI2Zx0bBcEMNjnwitRf9P2+9pd54sMoux1NHrdXnMwZusw2P78lFhEzOPN4glOEQmX0ASaS68uA==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/lato",
        "5.3.0",
        "sha512-0WhF/4rhrw+ErIyneKvhHn2YAl+xf8GDtllgOgOzDmeaSlLQtjpChXaQOpWhG2BchQW0WJy2zLV12Hdg0ndOMw==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/ibm-plex-sans",
        "5.3.0",
        "sha512-CbE4CbbEEZJX860XyUiRpsksXIQR8Rp2XDva2VO53NJox9tVNtusrysd2x5YkUEY3ErQ66W1IiiQL8/wihhw5w==",
        "OFL-1.1",
    ),
    Source(
        "@fontsource/cantarell",
        "5.3.0",
        "sha512-yvnAq3ymu9OPTGZWOKczMi10R5gC+2p2qBHu26sEZz8ZXjkRWXZnOAnDclUHV4LK3DQZW8amhwecRjXduPGg1A==",
        "OFL-1.1",
    ),
)
"""Fonts, beside those of the system."""

TEMPLATES = (
    Source(
        "startbootstrap-sb-admin",
        "7.0.7",
        "sha512-8GcoX/qZLUVOSX+7qWHgnruioIHew6jwcDY6NMjG8sfwHhkBnpPAcUhtqP0ikJE4T0/lMyxvr8zHcmZkN6y/kQ==",
        "MIT",
    ),
    Source(
        "material-dashboard",
        "3.1.0",
        "sha512-/dkEhja3jybC2ky+cXvOyCu+BgjdHmxN+6Vj04p5+LtDDQZbZ8PW8qV5YwDW/KwHSs8mpYDG20p964kdc0PMQA==",
        "MIT",
    ),
)
"""Whole applications' pages, photographed as they are."""
