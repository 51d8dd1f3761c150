import "./vendor.js";
