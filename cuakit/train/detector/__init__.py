"""The detector of controls: from screens with truth to an ONNX file."""
