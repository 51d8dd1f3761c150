// Before anything is drawn: the theme that this browser was told to use.
document.body.dataset.theme = localStorage.getItem("theme") || "auto";
